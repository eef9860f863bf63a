import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Content } from '../contracts/content.ts';
import { inline } from '../contracts/content.ts';
import type { Decision } from '../contracts/decision.ts';
import type { LedgerDecision, LedgerEntry, LedgerRecord } from '../contracts/ledger.ts';
import { assertNever } from './assert-never.ts';
import { foldKey, type KeyState } from './fold-key.ts';

type Done = Extract<KeyState, { is: 'done' }>;

/**
 * `settled`: written, or the same had been written before. `known`: the effect is on record already, and the decision agrees.
 * `stands`: something else holds, and the decision is refused; `done` when that is the effect itself.
 */
export type Settlement =
  | { readonly is: 'settled' }
  | { readonly is: 'known'; readonly done: Done }
  | { readonly is: 'stands'; readonly why: string; readonly done?: Done };

/** Writes a decision over an open key, once: the first valid one wins, the same again is fine, another is told what stands. */
export function settleKey(
  records: readonly LedgerRecord[],
  decision: Decision,
  now: number,
): LedgerDecision<Settlement> {
  const standing = records.filter((r) => r.is === 'settled').find((r) => r.decision.question === decision.question);
  if (standing) {
    return {
      append: [],
      answer: isSameDecision(standing.decision, decision)
        ? { is: 'settled' }
        : stands(describeDecision(standing.decision)),
    };
  }
  const state = foldKey(records);
  switch (state.is) {
    case 'open':
      return { append: [entryFor(state, decision, now)], answer: { is: 'settled' } };
    case 'done':
      return { append: [], answer: answerDone(state, decision) };
    case 'closed':
      return { append: [], answer: stands(describeDecision(state.record.decision)) };
    case 'failed':
      return { append: [], answer: stands(`the tool itself said no: ${state.record.message}`) };
    case 'free':
      return { append: [], answer: stands('nothing is open under this intent') };
    default:
      return assertNever(state);
  }
}

/** What the recorded effect gave: the tool's own result, or what the person said it had given. */
export function recordedResult({ record }: Done): Content {
  return record.is === 'done' ? record.result : inline(record.decision.result ?? null);
}

function answerDone(done: Done, { verdict }: Decision): Settlement {
  return verdict === 'happened' ? { is: 'known', done } : { ...stands(describeDone(done)), done };
}

type Gist = Pick<Decision, 'verdict' | 'then' | 'result'>;

/** The same again is fine, whoever says it and under whatever id; anything else conflicts, also another result. */
export function isSameDecision(a: Gist, b: Gist): boolean {
  const hasSameResult = a.verdict !== 'happened' || canonicalJson(a.result ?? null) === canonicalJson(b.result ?? null);
  return a.verdict === b.verdict && (a.then ?? 'tell-model') === (b.then ?? 'tell-model') && hasSameResult;
}

/** Who decided what, and why: what stands, for whoever decides otherwise. */
export function describeDecision({ verdict, by, reason }: Decision): string {
  return `${by} decided "${verdict}": ${reason}`;
}

function describeDone({ record }: Done): string {
  return record.is === 'done' ? 'the call itself reported success' : describeDecision(record.decision);
}

function entryFor(state: Extract<KeyState, { is: 'open' }>, decision: Decision, at: number): LedgerEntry {
  const { key, task, run, execution, call, tool, generation } = state.claims[0].claim;
  return { key, task, run, execution, call, tool, generation, at, is: 'settled', decision };
}

const stands = (why: string) => ({ is: 'stands', why }) as const;
