import type { CostAnswer } from '../contracts/cost-look-up.ts';
import type { RepliedBy } from '../contracts/events.ts';
import { readGeneration } from '../policy/read-generation.ts';
import type { ModelSource } from './open-model.ts';

const OPENROUTER = 'https://openrouter.ai/api/v1';

/** A row that takes longer is asked for again. */
const ANSWERS_MS = 10_000;

/**
 * Asks a provider what one of its replies cost. Never rejects: whatever is no answer may be one later, also a 404, which says
 * for minutes that the row is not there yet.
 */
export async function askCost({ account, responseId }: RepliedBy, source: ModelSource): Promise<CostAnswer> {
  if (account !== 'openrouter') return { is: 'not-yet', why: `${account} cannot be asked` };
  const { providers, secretOf, fetch: send = fetch } = source;
  const key = providers?.openrouter?.apiKey ?? secretOf('OPENROUTER_API_KEY');
  if (!key) return { is: 'not-yet', why: 'no key: set OPENROUTER_API_KEY' };
  const base = (providers?.openrouter?.baseURL ?? OPENROUTER).replace(/\/+$/, '');
  try {
    const response = await send(`${base}/generation?id=${encodeURIComponent(responseId)}`, {
      headers: { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWERS_MS),
    });
    const body: unknown = await response.json().catch(() => undefined);
    const found = response.ok ? readGeneration(body) : undefined;
    return found ?? { is: 'not-yet', why: response.ok ? 'the answer has no cost' : `status ${response.status}` };
  } catch (error) {
    return { is: 'not-yet', why: isTimeout(error) ? 'no answer in time' : 'it could not be reached' };
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';
