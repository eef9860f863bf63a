import { readUIMessageStream } from 'ai';
import type { ChatChunk, ChatMessage } from '../../src/chat/chat-message.ts';
import { toUIMessageChunks } from '../../src/chat/to-ui-message-chunks.ts';
import type { MessageOptions } from '../../src/chat/write-message.ts';
import type { Json } from '../../src/contracts/json.ts';
import type { ModelReply } from '../../src/contracts/model-reply.ts';
import type { RunEvent, StoredEvent } from '../../src/contracts/events.ts';
import type { RunResult } from '../../src/contracts/run-result.ts';

const turnOf = (call: string): number => Number(/^t(\d+)/.exec(call)?.[1]);

interface PieceOptions {
  readonly stream?: number;
  readonly of?: 'text' | 'reasoning' | 'tool-input';
  readonly part?: string;
  readonly tool?: string;
}

/** One piece of the reply of a model call, `t1` and so on. */
export function piece(call: string, delta: string, options: PieceOptions = {}): RunEvent {
  const { stream = 1, of = 'text', part = 'p', tool } = options;
  const about = { call, turn: turnOf(call), attempt: stream, stream, scheduledAt: stream };
  return { type: 'piece', at: 0, ...about, of, part, delta, seq: 1, ...(tool !== undefined && { tool }) };
}

/** The same text in words, as a model streams it. */
export const words = (call: string, text: string, options: PieceOptions = {}): readonly RunEvent[] =>
  text.split(/(?<= )/).map((word) => piece(call, word, options));

export const reset = (call: string, stream: number): RunEvent => {
  return { type: 'reset', at: 0, call, turn: turnOf(call), attempt: stream, stream, scheduledAt: stream };
};

export const planned = (call: string, tool: string, input: Json, part = 'call_1'): RunEvent => {
  return { type: 'call-planned', at: 0, call, turn: turnOf(call), part, tool, input };
};

export const answered = (call: string, tool: string, reply: ModelReply): RunEvent => {
  return { type: 'call-answered', at: 0, call, tool, reply };
};

export const raised = (question: string, call: string, tool: string, kind: 'outcome' | 'approval'): RunEvent => {
  return { type: 'question-raised', at: 0, question, call, kind, tool };
};

export const settled = (question: string, by: string): RunEvent => {
  return { type: 'question-settled', at: 0, question, by };
};

export const said = (turn: number, text: string): RunEvent => ({ type: 'said', at: 0, turn, text });

export const started: RunEvent = { type: 'run-started', at: 0, agent: 'support', input: '"hello"' };

export function ended(text: string, status: RunResult['status'] = 'completed', at = 0): RunEvent {
  const spend = { inputTokens: 12, outputTokens: 3, unmetered: 0 };
  return { type: 'run-ended', at, status, result: { status, text, open: [], spend, taskId: 'task' } };
}

export const story = (...events: readonly (RunEvent | readonly RunEvent[])[]): readonly StoredEvent[] =>
  events.flat().map((event, at) => ({ ...event, offset: at + 1 }));

async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** All chunks of a story. */
export async function chunksOf(
  events: readonly StoredEvent[],
  options: Partial<MessageOptions> = {},
): Promise<readonly ChatChunk[]> {
  return collect(toUIMessageChunks(events, { run: 'run-1', ...options }));
}

/** What a front end shows that does with chunks what the AI SDK does with them, and nothing else. */
export async function shownAfter(chunks: readonly ChatChunk[]): Promise<ChatMessage> {
  const stream = ReadableStream.from<ChatChunk>(chunks);
  const messages = await collect(readUIMessageStream<ChatMessage>({ stream, terminateOnError: true }));
  const last = messages.at(-1);
  if (!last) throw new Error('Nothing was shown.');
  return last;
}

export const shown = async (...events: readonly (RunEvent | readonly RunEvent[])[]): Promise<ChatMessage> =>
  shownAfter(await chunksOf(story(...events)));

interface ShownTool {
  readonly type: string;
  readonly state: string;
  readonly input: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
}

/** The message as text: each part on a line. */
export function linesOf({ parts }: ChatMessage): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return `${part.type}: ${part.text}`;
    if (part.type === 'step-start') return '--';
    if (part.type === 'data-question') return `question ${part.data.question}: ${part.data.state}`;
    if (!part.type.startsWith('tool-')) return part.type;
    const { state, input, output, errorText = '' } = part as ShownTool;
    const end = output === undefined ? errorText : JSON.stringify(output);
    return `${part.type.slice(5)} ${JSON.stringify(input)} ${state} ${end}`.trimEnd();
  });
}
