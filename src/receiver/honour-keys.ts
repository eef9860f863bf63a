import { assertNever } from '../policy/assert-never.ts';
import { answerTaken } from './answer-taken.ts';
import { fateOf } from './fate-of.ts';
import { firstAnswer, toKept } from './kept-answer.ts';
import type { KeyStanding, KeyStore } from './key-store.ts';
import { isNotDone } from './not-done.ts';
import { problem } from './problem.ts';
import { readRequest } from './read-request.ts';

export interface Honouring<Store extends KeyStore = KeyStore> {
  readonly keys: Store;
  readonly request: Request;
  /** Whose key it is, e.g. the caller's account. Without it one caller could be given another's answer. Default: one for all. */
  readonly scope?: string;
  /** A request that changes something and has no key: refused with 400 (default), or worked on like any other. */
  readonly keyless?: 'refuse' | 'allow';
}

/**
 * Answers a request so that its work runs once an `Idempotency-Key`. Requests that change nothing pass. The work gets the
 * request's body unread, runs to its end also when the caller has gone, and answers as it likes; what follows from its answer
 * is in `fateOf`. `NotDone` thrown by it frees the key. Any other error is passed on and leaves the key in doubt: equal
 * requests are answered with 409 `outcome-unknown` until `keys.resolve` says what happened, and never run by themselves.
 * @throws what the work throws, and what the store throws before the work has begun.
 */
export async function honourKeys(
  { keys, request, scope = '', keyless = 'refuse' }: Honouring,
  work: (key: string | undefined) => Promise<Response>,
): Promise<Response> {
  const read = await readRequest(request, scope);
  switch (read.is) {
    case 'plain':
      return work(undefined);
    case 'keyless':
      return keyless === 'allow' ? work(undefined) : problem('key-missing');
    case 'unusable':
      return problem('key-unusable');
    case 'keyed': {
      const standing = await keys.begin(read.keyed);
      return standing.is === 'begun' ? workOnce(keys, standing, () => work(read.keyed.key)) : answerTaken(standing);
    }
    default:
      return assertNever(read);
  }
}

async function workOnce(
  keys: KeyStore,
  { token, leaseMs }: Extract<KeyStanding, { is: 'begun' }>,
  work: () => Promise<Response>,
): Promise<Response> {
  // A lease that could not be extended only makes the key look doubtful until its work ends.
  const extending = setInterval(() => void keys.extend(token).catch(() => undefined), leaseMs / 3);
  extending.unref();
  const end = await endOf(work).finally(() => clearInterval(extending));
  switch (end.is) {
    case 'answered': {
      // Not kept is not undone: the caller hears what happened, and the key stays in doubt.
      await settle(keys, token, end).catch(() => undefined);
      return firstAnswer(end.answer, end.response);
    }
    case 'not-done':
      await keys.free(token);
      return problem('not-done', end.error.message);
    case 'threw':
      await keys.doubt(token).catch(() => undefined);
      throw end.error;
    default:
      return assertNever(end);
  }
}

type WorkEnd = Awaited<ReturnType<typeof endOf>>;

async function endOf(work: () => Promise<Response>) {
  try {
    const response = await work();
    return { is: 'answered', response, answer: await toKept(response) } as const;
  } catch (error) {
    return isNotDone(error) ? ({ is: 'not-done', error } as const) : ({ is: 'threw', error } as const);
  }
}

function settle(keys: KeyStore, token: string, { answer }: Extract<WorkEnd, { is: 'answered' }>): Promise<void> {
  const fate = fateOf(answer.status);
  switch (fate) {
    case 'keep':
      return keys.keep(token, answer);
    case 'free':
      return keys.free(token);
    case 'doubt':
      return keys.doubt(token);
    default:
      return assertNever(fate);
  }
}
