import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** Parts that only announce, or end, something. Keep-alives and headers are no answer. */
const NO_CONTENT: readonly LanguageModelV4StreamPart['type'][] = [
  'stream-start',
  'response-metadata',
  'raw',
  'ping',
  'custom',
  'text-start',
  'text-end',
  'reasoning-start',
  'reasoning-end',
  'tool-input-end',
  'finish',
  'error',
];

/** Does this part hold a piece of the answer: text, reasoning, a tool call, a file? An empty piece is none. */
export function isContent(part: LanguageModelV4StreamPart): boolean {
  return !NO_CONTENT.includes(part.type) && !('delta' in part && part.delta === '');
}

/** Does it say that the reply is whole? Providers that lost the connection make up a finish without a raw reason. */
export function isWholeFinish({ finishReason }: FinishPart): boolean {
  return finishReason.raw !== undefined && finishReason.unified !== 'error';
}

/**
 * Has the model begun to answer with this part? Content, or the end of a reply that needs none, such as one that a filter
 * held back. A reply that says it is done and said nothing is no answer.
 */
export function beginsAnswer(part: LanguageModelV4StreamPart): boolean {
  if (part.type !== 'finish') return isContent(part);
  return isWholeFinish(part) && part.finishReason.unified !== 'stop';
}
