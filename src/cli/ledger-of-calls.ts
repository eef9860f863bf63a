import type { LedgerRecord } from '../contracts/ledger.ts';
import type { Question } from '../contracts/question.ts';
import { assertNever } from '../policy/assert-never.ts';
import { foldKey, type KeyState } from '../policy/fold-key.ts';
import { questionOfKey } from '../policy/question-of-claim.ts';

/** What the ledger says of one call's effect. */
export interface LedgerOfCall {
  readonly state: string;
  readonly question?: Question;
}

/** What became of each call's effect by a run's records, for runs that cannot say it themselves. `now` epoch milliseconds. */
export function ledgerOfCalls(records: readonly LedgerRecord[], now: number): ReadonlyMap<string, LedgerOfCall> {
  // What people said moves nothing by itself.
  const acts = records.filter(({ is }) => is !== 'decided' && is !== 'declined' && is !== 'ruled');
  const byKey = Map.groupBy(acts, ({ key }) => JSON.stringify(key));
  return new Map(
    [...byKey.values()].map((ofKey) => {
      const state = foldKey(ofKey);
      const question = questionOfKey(state, now);
      const call = question?.call ?? ofKey.at(-1)?.call ?? '';
      return [call, { state: question ? 'outcome unknown' : wordFor(state), ...(question && { question }) }];
    }),
  );
}

function wordFor(state: KeyState): string {
  switch (state.is) {
    case 'done':
      return 'ok';
    case 'closed':
      return 'reversed';
    case 'failed':
      return 'failed';
    case 'free':
      return 'did not happen';
    case 'open':
      return 'claimed, no outcome yet';
    default:
      return assertNever(state);
  }
}
