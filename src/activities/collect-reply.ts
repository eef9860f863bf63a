import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { ReplyTooLong } from '../contracts/reply-too-long.ts';
import type { Usage } from '../contracts/events.ts';
import { readUsage } from '../policy/read-usage.ts';
import { wellFormedJson } from '../policy/well-formed-json.ts';
import { BrokenAnswer, judgeAnswer, type AnswerEnd, type AnswerFacts, type RawCall } from '../policy/judge-answer.ts';

/** A whole reply. Reasoning is not kept. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly finish: LanguageModelV4FinishReason;
  readonly end: AnswerEnd;
  readonly usage: Usage;
}

/** `cut`: it is never run, and the model is told why. */
export type AskedCall = RawCall & { readonly cut?: string };

/**
 * Joins a model's stream into one reply. Whole only with a finish part that names its reason and no error part; input deltas,
 * where they came, beat the final input. Each part goes to `show` as it comes.
 * @throws BrokenAnswer with what there was, for classifyModelError.
 */
export async function collectReply(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  headers: Readonly<Record<string, string>> = {},
  show: (part: LanguageModelV4StreamPart) => void = () => undefined,
): Promise<Reply> {
  return replyOf(await collectAnswer(stream, headers, show));
}

/** A reply is kept, and given back to the model with every turn. */
const MOST_CHARS = 8_000_000;

/** What a stream held when it ended, whichever way it did. Never throws. */
export async function collectAnswer(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  headers: Readonly<Record<string, string>> = {},
  show: (part: LanguageModelV4StreamPart) => void = () => undefined,
): Promise<AnswerFacts> {
  let text = '';
  let begun = false;
  let error: unknown;
  const inputs = new Map<string, { tool: string; input: string }>();
  const calls: RawCall[] = [];
  // A provider carries out its own tools, such as a search of the web: ours of that name has nothing to do with it.
  const itsOwn = new Set<string>();
  let end: { finish: LanguageModelV4FinishReason; usage: LanguageModelV4Usage; isKept: boolean } | undefined;
  let chars = 0;
  try {
    for await (const part of stream) {
      if ('delta' in part) chars += part.delta.length;
      if (chars > MOST_CHARS) throw new ReplyTooLong(MOST_CHARS);
      show(part);
      // The first error is what went wrong; the rest follows from it. What the attempt cost comes with the finish.
      if (part.type === 'error') error ??= part.error ?? new Error('an error without a word');
      else if (part.type !== 'stream-start' && part.type !== 'finish') begun = true;
      if (part.type === 'text-delta') text += part.delta;
      if (part.type === 'tool-input-start') inputs.set(part.id, { tool: part.toolName, input: '' });
      if (part.type === 'tool-input-delta') {
        const { tool = '', input = '' } = inputs.get(part.id) ?? {};
        inputs.set(part.id, { tool, input: input + part.delta });
      }
      if (part.type === 'tool-input-start' && part.providerExecuted) itsOwn.add(part.id);
      if (part.type === 'tool-call' && part.providerExecuted) itsOwn.add(part.toolCallId);
      else if (part.type === 'tool-call')
        calls.push({ toolCallId: part.toolCallId, tool: part.toolName, input: part.input });
      if (part.type === 'finish') {
        end = { finish: part.finishReason, usage: part.usage, isKept: hasResponseId(part.providerMetadata) };
      }
    }
  } catch (thrown) {
    error ??= thrown ?? new Error('an error without a word');
  }
  const asked = calls.filter(({ toolCallId }) => !itsOwn.has(toolCallId));
  const isWhole = (id: string) => asked.some(({ toolCallId }) => toolCallId === id);
  return {
    streamed: true,
    begun,
    text,
    calls: asked.map((call) => withPieces(call, asked, inputs)),
    open: [...inputs].flatMap(([toolCallId, { tool, input }]) =>
      itsOwn.has(toolCallId) || isWhole(toolCallId) ? [] : [{ toolCallId, tool, input }],
    ),
    finish: end?.finish,
    usage: readUsage(end?.usage),
    isKept: end?.isKept ?? false,
    headers,
    ...(error !== undefined && { error }),
  };
}

/** Two calls under one id share their pieces too: only their final inputs tell them apart. */
function withPieces(
  call: RawCall,
  calls: readonly RawCall[],
  inputs: ReadonlyMap<string, { readonly input: string }>,
): RawCall {
  const isTwice = calls.filter(({ toolCallId }) => toolCallId === call.toolCallId).length > 1;
  const pieces = inputs.get(call.toolCallId)?.input ?? '';
  return isTwice || pieces === '' ? call : { ...call, input: pieces };
}

/** @throws BrokenAnswer when the answer is not whole. */
export function replyOf(facts: AnswerFacts): Reply {
  const verdict = judgeAnswer(facts);
  if (verdict.is !== 'whole' || !facts.finish) throw new BrokenAnswer(facts);
  const { text, finish, usage, calls, open } = facts;
  const { end } = verdict;
  const cut = WHY_CUT[end];
  const asked = (cut === undefined ? calls : [...calls, ...open]).map((call) => {
    return { ...call, input: wellFormedJson(call.input), ...(cut !== undefined && { cut }) };
  });
  return { text: text.toWellFormed(), calls: asked, finish, end, usage };
}

const WHY_CUT: Readonly<Partial<Record<AnswerEnd, string>>> = {
  'tool-call-cut': 'The call was cut off at the output limit. Nothing was run. Use a shorter call or split the work.',
  'unknown-finish': 'The reply ended in a way that is not known, so the call was not run. Make it again.',
};

/** The Responses API is the one that has its replies under an id. */
export function hasResponseId(metadata: SharedV4ProviderMetadata | undefined): boolean {
  return Object.values(metadata ?? {}).some((fields) => typeof fields['responseId'] === 'string');
}
