import type { Decision } from '../contracts/decision.ts';
import type { Json } from '../contracts/json.ts';
import type { OutcomeQuestion } from '../contracts/question.ts';
import type { Tool } from '../contracts/tool.ts';
import { assertNever } from './assert-never.ts';

/** A look-up's answer, with its result already fit to keep. */
export type LookUp =
  | { readonly is: 'happened'; readonly result: Json }
  | { readonly is: 'did-not-happen' }
  | { readonly is: 'cannot-tell'; readonly why: string };

/** `counts`: it may take its place as a decision. `noted`: it settles nothing; `said` is for people. */
export type Weight =
  { readonly is: 'counts'; readonly decision: Decision } | { readonly is: 'noted'; readonly said: string };

/**
 * What a look-up's answer is worth at `now` (epoch milliseconds). "Happened" counts at any time. "Did not happen" proves
 * nothing while the effect may still be on its way, and sends nothing by itself unless the tool's author chose `retry`.
 */
export function weighConfirmation(
  lookUp: LookUp,
  question: OutcomeQuestion,
  { name, afterConfirm }: Pick<Tool, 'name' | 'afterConfirm'>,
  now: number,
): Weight {
  const by = `look-up of ${name}`;
  const about = { id: `look-up-${question.id}`, question: question.id, by, settledBy: 'confirm' } as const;
  switch (lookUp.is) {
    case 'happened':
      return {
        is: 'counts',
        decision: { ...about, verdict: 'happened', result: lookUp.result, reason: 'found by the look-up' },
      };
    case 'did-not-happen': {
      if (now < question.horizon) return { is: 'noted', said: 'not there, but it may still land' };
      const reason = 'not found after it could no longer land';
      return { is: 'counts', decision: { ...about, verdict: 'did-not-happen', then: afterConfirm, reason } };
    }
    case 'cannot-tell':
      return { is: 'noted', said: `cannot tell: ${lookUp.why}` };
    default:
      return assertNever(lookUp);
  }
}
