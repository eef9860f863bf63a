import { cleanMessage } from './clean-message.ts';
import { sdkNameOf, type Link } from './model-error-facts.ts';

/** What an arbitrary error says of itself, gathered along its chain of causes. */
export interface ErrorFacts {
  readonly message: string;
  readonly names: readonly string[];
  /** Every message along the chain, outermost first. */
  readonly messages: readonly string[];
  readonly codes: readonly string[];
  readonly status: number | undefined;
}

const MAX_DEPTH = 8;

/**
 * Reads an error of any kind, thrown strings and circular causes included. Never throws.
 * @param known secrets that must not be in its message, whatever they look like
 */
export function readErrorFacts(error: unknown, known: readonly string[] = []): ErrorFacts {
  const links = chainOf(error);
  const messages = links.map((link) => link['message']).filter((message) => typeof message === 'string');
  const words = wordsOf(links);
  const plain = typeof error === 'string' ? error : 'something that is not an error was thrown.';
  return {
    message: cleanMessage(joinEnds(words) ?? plain, known),
    names: links.map((link) => link['name']).filter((name) => typeof name === 'string'),
    messages,
    codes: links.map((link) => link['code']).filter((code) => typeof code === 'string'),
    status: links.map((link) => link['status'] ?? link['statusCode']).find((status) => typeof status === 'number'),
  };
}

/** Errors of the AI SDK whose messages, and those behind them, quote all of what they could not read. */
const QUOTING: Readonly<Record<string, string>> = {
  TypeValidationError: 'the answer does not have the shape that was expected',
  JSONParseError: 'the answer is not JSON',
};

function wordsOf(links: readonly Link[]): readonly string[] {
  const words: string[] = [];
  for (const link of links) {
    const fixed = QUOTING[sdkNameOf(link)];
    if (fixed !== undefined) return [...words, fixed];
    if (typeof link['message'] === 'string' && link['message'] !== '') words.push(link['message']);
  }
  return words;
}

/** What went wrong, and what was behind it: "fetch failed" alone helps nobody. */
function joinEnds(messages: readonly string[]): string | undefined {
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined || first.includes(last)) return first;
  return `${first.replace(/[\s.:]+$/, '')}: ${last}`;
}

function chainOf(error: unknown): readonly Record<string, unknown>[] {
  const links: Record<string, unknown>[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && links.length < MAX_DEPTH) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null || links.includes(next as Record<string, unknown>)) continue;
    const link = next as Record<string, unknown>;
    links.push(link);
    queue.push(link['cause'], ...(Array.isArray(link['errors']) ? (link['errors'] as unknown[]) : []));
  }
  return links;
}
