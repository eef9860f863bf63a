import { createChunks, END_MARK, type ReplyHead } from './chat-wire.ts';
import type { KeptPart, RecordedPart } from './recording.ts';

type Finish = Extract<KeptPart, { type: 'finish' }>;

export interface TimedEvent {
  readonly afterMs: number;
  readonly event: string;
}

/** A recorded reply as the events of the OpenAI chat protocol, piece for piece, each at the time of its part. */
export function partsToEvents(
  parts: readonly RecordedPart[],
  head: ReplyHead,
  includeUsage: boolean,
): readonly TimedEvent[] {
  const { delta, usage } = createChunks(head, includeUsage);
  const places = new Map<string, number>();
  const begin = (id: string, name: string, input: string) => {
    places.set(id, places.size);
    return delta({
      tool_calls: [{ index: places.get(id), id, type: 'function', function: { name, arguments: input } }],
    });
  };
  const toEvents = (part: KeptPart): readonly string[] => {
    if (part.type === 'text-delta') return [delta({ content: part.delta })];
    if (part.type === 'reasoning-delta') return [delta({ reasoning_content: part.delta })];
    if (part.type === 'tool-input-start') return [begin(part.id, part.toolName, '')];
    if (part.type === 'tool-input-delta') {
      return [delta({ tool_calls: [{ index: places.get(part.id), function: { arguments: part.delta } }] })];
    }
    if (part.type === 'tool-call') {
      return places.has(part.toolCallId) ? [] : [begin(part.toolCallId, part.toolName, part.input)];
    }
    if (part.type !== 'finish') return [];
    return [delta({}, finishWord(part)), ...(includeUsage ? [usage(tokensOf(part))] : []), END_MARK];
  };
  const events = parts.flatMap(({ afterMs, part }) => toEvents(part).map((event) => ({ afterMs, event })));
  const firstMs = events[0]?.afterMs ?? 0;
  return [{ afterMs: firstMs, event: delta({ role: 'assistant', content: '' }) }, ...events];
}

/** In OpenAI's words, whoever's the reply was. */
export function finishWord({ finishReason: { unified, raw } }: Finish): string {
  if (unified === 'tool-calls' || unified === 'content-filter') return unified.replace('-', '_');
  return unified === 'stop' || unified === 'length' ? unified : (raw ?? unified);
}

function tokensOf({ usage }: Finish) {
  return { inputTokens: usage.inputTokens.total ?? 0, outputTokens: usage.outputTokens.total ?? 0 };
}
