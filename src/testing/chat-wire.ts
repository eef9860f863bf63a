import type { ChatCall } from './chat-message.ts';
import type { ChatReply } from './compose-reply.ts';
import { PIECE_SIZE, splitText } from './split-text.ts';

/** What stands at the head of every reply. `created` is in seconds since 1970, as the protocol has it. */
export interface ReplyHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** A reply of whatever finish. */
type Completed = Omit<ChatReply, 'finish'> & { readonly finish: string };

/** The body of a reply that is not streamed. */
export const toCompletion = (reply: Completed, head: ReplyHead) => ({
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: reply.text === '' ? null : reply.text,
        ...(reply.calls.length > 0 && { tool_calls: reply.calls.map(toWireCall) }),
      },
      finish_reason: reply.finish,
    },
  ],
  usage: toWireUsage(reply),
});

/** The events of a streamed reply, each as it goes over the wire: role, text, calls, finish, usage if asked for, end mark. */
export function toEvents(reply: ChatReply, head: ReplyHead, includeUsage: boolean): readonly string[] {
  const { delta, usage } = createChunks(head, includeUsage);
  return [
    delta({ role: 'assistant', content: '' }),
    ...splitText(reply.text, PIECE_SIZE).map((content) => delta({ content })),
    ...reply.calls.flatMap(toCallPieces).map((piece) => delta({ tool_calls: [piece] })),
    delta({}, reply.finish),
    ...(includeUsage ? [usage(reply)] : []),
    END_MARK,
  ];
}

/** Makes the events of one reply: a piece of it, with the last one why it ended, and what it used. */
export function createChunks(head: ReplyHead, includeUsage: boolean) {
  const chunk = (choices: readonly object[], usage?: object) =>
    toEvent(
      JSON.stringify({
        ...head,
        object: 'chat.completion.chunk',
        choices,
        ...(includeUsage && { usage: usage ?? null }),
      }),
    );
  return {
    delta: (piece: object, finish: string | null = null) => chunk([{ index: 0, delta: piece, finish_reason: finish }]),
    usage: (tokens: Tokens) => chunk([], toWireUsage(tokens)),
  };
}

type Tokens = Pick<ChatReply, 'inputTokens' | 'outputTokens'>;

const toEvent = (data: string): string => `data: ${data}\n\n`;

export const END_MARK = toEvent('[DONE]');

const toWireCall = ({ id, tool, arguments: text }: ChatCall) => ({
  id,
  type: 'function',
  function: { name: tool, arguments: text },
});

/** Id and name come with the first piece, the arguments after it. */
const toCallPieces = (call: ChatCall, index: number): readonly object[] => [
  { index, ...toWireCall({ ...call, arguments: '' }) },
  ...splitText(call.arguments, PIECE_SIZE).map((piece) => ({ index, function: { arguments: piece } })),
];

const toWireUsage = ({ inputTokens, outputTokens }: Tokens) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
});
