import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Json } from '../contracts/json.ts';
import { CHECK_OUTCOME } from '../contracts/tool.ts';
import type { ChatMessage } from './chat-message.ts';
import { argumentsDigest, conversationDigest } from './conversation-digest.ts';
import { hideSecrets, hideSecretsInJson } from './hide-secrets.ts';
import { parseJson } from './parse-json.ts';
import {
  RECORDING_FORMAT,
  type KeptPart,
  type RecordedPart,
  type RecordedReply,
  type RecordedTool,
  type RecordedToolReply,
  type Recording,
} from './recording.ts';

/** One question to a model and its whole reply, as `recordModel` heard them. */
export interface Exchange {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly RecordedTool[];
  /** Both by one clock, milliseconds. */
  readonly askedAt: number;
  readonly endedAt: number;
  readonly parts: readonly { readonly afterMs: number; readonly part: LanguageModelV4StreamPart }[];
}

export interface RecordingAbout {
  readonly agent: string;
  /** The tools as they are defined, where they are known; else as the model was offered them. */
  readonly tools?: readonly RecordedTool[];
  /** Applied to every text first, for what only you know to be secret. Applied again, it must change nothing more. */
  readonly redact?: (text: string) => string;
}

/** The recording of one run. @throws Error when nothing was heard. */
export function composeRecording(heard: readonly Exchange[], about: RecordingAbout): Recording {
  const { agent, redact = (text: string) => text } = about;
  const exchanges = heard.map((exchange) => redactExchange(exchange, redact));
  const [first] = exchanges;
  if (!first) throw new Error(`Nothing was recorded for agent "${agent}": its model has not given a whole reply.`);
  const input = first.messages.find((message) => message.role === 'user')?.content ?? '';
  // One that was asked again, because its answer was lost on the way to the run, is kept once.
  const replies = new Map(exchanges.map((exchange) => [conversationDigest(exchange.messages), exchange]));
  return {
    format: RECORDING_FORMAT,
    agent,
    model: first.model,
    input: hideSecrets(input),
    tools: (about.tools ?? first.tools).filter(({ name }) => name !== CHECK_OUTCOME),
    replies: [...replies].map(([request, exchange]) => toReply(request, exchange)),
    toolReplies: toolRepliesOf(exchanges),
  };
}

function redactExchange(exchange: Exchange, redact: (text: string) => string): Exchange {
  const messages = exchange.messages.map((message): ChatMessage => {
    const content = redact(message.content);
    if (message.role !== 'assistant') return { ...message, content };
    return {
      ...message,
      content,
      calls: message.calls.map((call) => ({ ...call, arguments: redact(call.arguments) })),
    };
  });
  const parts = hideInParts(exchange.parts.flatMap(keep), { text: redact, json: redact });
  return { ...exchange, messages, parts };
}

function toReply(request: string, { messages, parts }: Exchange): RecordedReply {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const kept = hideInParts(parts.flatMap(keep), { text: hideSecrets, json: hideSecretsInJson });
  return { turn, request, parts: kept };
}

/** Without what only its provider understands, or what names the account that asked. */
function keep({ afterMs, part }: Exchange['parts'][number]): readonly RecordedPart[] {
  const kept = bare(part);
  return kept ? [{ afterMs: Math.round(afterMs), part: kept }] : [];
}

function bare(part: LanguageModelV4StreamPart): KeptPart | undefined {
  if (isOf(part, MARKS)) return { type: part.type, id: part.id };
  if (isOf(part, DELTAS)) return { type: part.type, id: part.id, delta: part.delta };
  if (part.type === 'tool-input-start') return { type: part.type, id: part.id, toolName: part.toolName };
  if (part.type === 'tool-call') {
    const { type, toolCallId, toolName, input } = part;
    return { type, toolCallId, toolName, input };
  }
  if (part.type !== 'finish') return undefined;
  const { type, finishReason, usage } = part;
  return { type, finishReason, usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } };
}

const MARKS = ['text-start', 'text-end', 'reasoning-start', 'reasoning-end', 'tool-input-end'] as const;
const DELTAS = ['text-delta', 'reasoning-delta', 'tool-input-delta'] as const;

const isOf = <Type extends LanguageModelV4StreamPart['type']>(
  part: LanguageModelV4StreamPart,
  types: readonly Type[],
): part is Extract<LanguageModelV4StreamPart, { type: Type }> => (types as readonly string[]).includes(part.type);

interface Hide {
  readonly text: (text: string) => string;
  readonly json: (text: string) => string;
}

/** A secret may lie across pieces: where one is found, the first piece has the whole text and the others go. */
function hideInParts(parts: readonly RecordedPart[], hide: Hide): readonly RecordedPart[] {
  const wholes = new Map<string, string>();
  for (const { part } of parts) {
    if ('delta' in part) wholes.set(keyOf(part), (wholes.get(keyOf(part)) ?? '') + part.delta);
  }
  const said = new Set<string>();
  return parts.flatMap(({ afterMs, part }): readonly RecordedPart[] => {
    if (part.type === 'tool-call') return [{ afterMs, part: { ...part, input: hide.json(part.input) } }];
    if (!('delta' in part)) return [{ afterMs, part }];
    const key = keyOf(part);
    const whole = wholes.get(key) ?? '';
    const hidden = part.type === 'tool-input-delta' ? hide.json(whole) : hide.text(whole);
    if (hidden === whole) return [{ afterMs, part }];
    if (said.has(key)) return [];
    said.add(key);
    return [{ afterMs, part: { ...part, delta: hidden } }];
  });
}

const keyOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type} ${id}`;

/** The longest conversation has them all. */
function toolRepliesOf(exchanges: readonly Exchange[]): readonly RecordedToolReply[] {
  const { messages = [] } = exchanges.toSorted((a, b) => b.messages.length - a.messages.length)[0] ?? {};
  const calls = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map((call) => [call.id, call] as const) : [],
    ),
  );
  return messages.flatMap((message, at) => {
    const call = message.role === 'tool' ? calls.get(message.callId) : undefined;
    if (!call || call.tool === CHECK_OUTCOME) return [];
    const text = hideSecretsInJson(message.content);
    const reply = (parseJson(text) as Json | undefined) ?? text;
    const tookMs = tookUntil(exchanges, at);
    return [{ tool: call.tool, arguments: argumentsDigest(call.arguments), reply, tookMs }];
  });
}

/** From the end of the exchange that asked for it to the start of the first that has the message at this place. */
function tookUntil(exchanges: readonly Exchange[], place: number): number {
  const after = exchanges.findIndex(({ messages }) => messages.length > place);
  const [asked, told] = [exchanges[after - 1], exchanges[after]];
  return asked && told ? Math.max(0, Math.round(told.askedAt - asked.endedAt)) : 0;
}
