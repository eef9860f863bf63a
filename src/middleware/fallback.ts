import { AllTargetsFailed, type ModelMiddleware, type ModelTarget } from '../contracts/middleware.ts';
import { awaitAnswer } from './await-answer.ts';
import { joinCauses } from './join-causes.ts';

/**
 * Asks the request's own target, and where it fails before it began to answer, the next of `targets`, one after the other.
 * Any failure but the end of the request's own signal counts: what one model refuses another may take.
 * Rejects with the only cause, or with AllTargetsFailed.
 */
export function fallback(targets: readonly ModelTarget[]): ModelMiddleware {
  if (targets.length === 0) return (next) => next;
  return (next) => async (request) => {
    const asked: ModelTarget[] = [];
    const causes: unknown[] = [];
    for (const target of [request.target, ...targets]) {
      // To an account that has just failed this is a repetition.
      const isAgain = asked.some(({ account }) => account === target.account);
      const reason = isAgain ? 'retry' : request.reason;
      asked.push(target);
      try {
        return await awaitAnswer(await next({ ...request, target, reason }), request.signal);
      } catch (error) {
        request.signal.throwIfAborted();
        if (error instanceof AllTargetsFailed) causes.push(...(error.errors as unknown[]));
        else causes.push(error);
      }
    }
    throw joinCauses(causes);
  };
}
