import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { isRecord } from './model-error-facts.ts';
import { readCount } from './read-count.ts';
import { usdToMicros, withUpstream } from './usd-to-micros.ts';

/** What a provider has said of a reply until now. */
export interface RequestSoFar {
  /** The last it said: such counters are cumulative, so they are set and never added. Null: nothing. */
  readonly usage: LanguageModelV4Usage | null;
  /** Of text, reasoning and arguments. */
  readonly outputChars: number;
  /** Its own figure of the cost, in micro-dollars. */
  readonly costMicros: number | null;
  readonly responseId: string | null;
  /** Something of the reply came. */
  readonly begun: boolean;
}

export const NOTHING_YET: RequestSoFar = Object.freeze({
  usage: null,
  outputChars: 0,
  costMicros: null,
  responseId: null,
  begun: false,
});

type Part = LanguageModelV4StreamPart;

/** What is known once this part has passed, too. */
export function followRequest(known: RequestSoFar, part: Part): RequestSoFar {
  if (part.type === 'finish') {
    const usage = isSilent(part.usage) ? known.usage : part.usage;
    return { ...known, usage, costMicros: ownFigure(part) ?? known.costMicros };
  }
  if (SAYS_NOTHING.includes(part.type)) return known;
  return {
    ...known,
    begun: true,
    usage: (part.type === 'custom' ? openingUsage(part.providerMetadata) : undefined) ?? known.usage,
    outputChars: known.outputChars + ('delta' in part ? part.delta.length : 0),
    responseId: known.responseId ?? (part.type === 'response-metadata' ? part.id : undefined) ?? null,
  };
}

/** The package's own, or that it went wrong: nothing of the reply. */
const SAYS_NOTHING: readonly Part['type'][] = ['stream-start', 'error', 'ping', 'raw'];

/** Anthropic's first event has what it has read, so that it is known of a reply that breaks off. */
function openingUsage(metadata: SharedV4ProviderMetadata | undefined): LanguageModelV4Usage | undefined {
  const said: unknown = metadata?.['anthropic']?.['usage'];
  if (!isRecord(said)) return undefined;
  const noCache = countIn(said, 'input_tokens');
  if (noCache === undefined) return undefined;
  const cacheRead = countIn(said, 'cache_read_input_tokens');
  const cacheWrite = countIn(said, 'cache_creation_input_tokens');
  const total = noCache + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  };
}

function countIn(said: Readonly<Record<string, unknown>>, name: string): number | undefined {
  return readCount(said[name]) ?? undefined;
}

/** The finish of a reply that broke off has a usage with nothing in it. */
const isSilent = ({ inputTokens, outputTokens }: LanguageModelV4Usage): boolean =>
  inputTokens.total === undefined && outputTokens.total === undefined;

type Finish = Extract<Part, { type: 'finish' }>;

/**
 * OpenRouter says what it charged, in credits, which are dollars (its usage accounting). With a key of one's own at the provider
 * that is its fee, and the provider's bill comes on top.
 */
function ownFigure({ providerMetadata, usage }: Finish): number | null {
  const said: unknown = providerMetadata?.['openrouter']?.['usage'];
  if (!isRecord(said)) return null;
  const charged = usdToMicros(said['cost']);
  if (charged === null || usage.raw?.['is_byok'] !== true) return charged;
  const details = said['costDetails'];
  return withUpstream(charged, isRecord(details) ? details['upstreamInferenceCost'] : undefined);
}
