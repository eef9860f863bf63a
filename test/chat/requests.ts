import type { ChatChunk } from '../../src/chat/chat-message.ts';

const API = 'http://127.0.0.1/api/chat';

export const userMessage = (id: string, text: string) =>
  ({ id, role: 'user', parts: [{ type: 'text', text }] }) as const;

type Sent =
  ReturnType<typeof userMessage> | { readonly id: string; readonly role: string; readonly parts: readonly unknown[] };

/** As `useChat` sends it. */
export function post(chat: string, messages: readonly Sent[], more: Readonly<Record<string, unknown>> = {}): Request {
  return rawPost(JSON.stringify({ id: chat, messages, trigger: 'submit-message', ...more }));
}

export const rawPost = (body: string, headers: Readonly<Record<string, string>> = {}): Request =>
  new Request(API, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

export const get = (path: string): Request => new Request(`${API}/${path}`);

export interface OpenStream {
  /** The chunks so far. */
  readonly chunks: ChatChunk[];
  /** Everything that came, comments included. */
  text(): string;
  /** Resolves when the stream has ended; with how it broke, if it did. */
  readonly ended: Promise<unknown>;
  cancel(): Promise<void>;
}

/** Reads a response's event stream as it comes. */
export function readStream(response: Response): OpenStream {
  if (!response.body) throw new Error(`No body came with ${response.status}.`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const chunks: ChatChunk[] = [];
  let all = '';
  let rest = '';
  const read = async (): Promise<unknown> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      all += value;
      const lines = (rest + value).split('\n\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('data: {')) chunks.push(JSON.parse(line.slice(6)) as ChatChunk);
      }
    }
  };
  return { chunks, text: () => all, ended: read().catch((error: unknown) => error), cancel: () => reader.cancel() };
}

/** Reads a response to its end. */
export async function chunksOfResponse(response: Response): Promise<readonly ChatChunk[]> {
  const stream = readStream(response);
  const broken = await stream.ended;
  if (broken !== undefined) throw new Error('The stream broke.', { cause: broken });
  return stream.chunks;
}
