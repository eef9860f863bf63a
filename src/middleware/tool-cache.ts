import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import type { ToolMiddleware } from '../contracts/tool.ts';

export interface ToolCacheOptions {
  /** Characters of JSON kept in all; the answer unused for longest goes first. Default 8 million. */
  readonly maxChars?: number;
  /** An answer longer than this is not kept. Default 64,000. */
  readonly maxAnswerChars?: number;
}

/**
 * Gives a read-only tool's earlier answer again when the same run asks it the same. Only what succeeded is kept, in this
 * process; every answer given is a fresh copy. Tools that change anything always run.
 */
export function toolCache({ maxChars = 8_000_000, maxAnswerChars = 64_000 }: ToolCacheOptions = {}): ToolMiddleware {
  /** In the order of last use, the oldest first. */
  const answers = new Map<string, string>();
  let chars = 0;
  const forget = (key: string) => {
    chars -= key.length + (answers.get(key)?.length ?? 0);
    answers.delete(key);
  };
  const keep = (key: string, answer: string) => {
    if (answers.has(key)) forget(key);
    answers.set(key, answer);
    chars += key.length + answer.length;
    for (const oldest of answers.keys()) {
      if (chars <= maxChars) return;
      forget(oldest);
    }
  };
  return (next) => async (request) => {
    const { tool, input, ctx } = request;
    const written = tool.effect === 'read-only' ? writeJson(input) : undefined;
    if (written === undefined || written.length > maxAnswerChars) return next(request);
    const key = JSON.stringify([ctx.runId, tool.name, written]);
    const known = answers.get(key);
    if (known !== undefined) {
      keep(key, known);
      return JSON.parse(known) as unknown;
    }
    const result = await next(request);
    const answer = writeJson(result);
    if (answer !== undefined && answer.length <= maxAnswerChars) keep(key, answer);
    return result;
  };
}

/** What JSON would lose or change is not kept. */
function writeJson(value: unknown): string | undefined {
  try {
    return canonicalJson(value as Json);
  } catch {
    return undefined;
  }
}
