import type { StoredEvent } from '../contracts/events.ts';
import type { LedgerRecord } from '../contracts/ledger.ts';
import type { RefusedDecision } from '../contracts/run.ts';
import type { Word } from './standing-words.ts';

/** What people said about a run's calls, or that nobody said anything in time. `at` epoch milliseconds. */
export type ToldWord =
  | { readonly is: 'said'; readonly at: number; readonly question: string; readonly tool: string; readonly word: Word }
  | { readonly is: 'expired'; readonly at: number; readonly question: string };

/** Every word that counts, by the ledger, and every question that expired, oldest first. */
export function readWords(records: readonly LedgerRecord[], events: readonly StoredEvent[]): readonly ToldWord[] {
  const told = new Set<string>();
  const said = records.flatMap((record): readonly ToldWord[] => {
    if (record.is !== 'decided' && record.is !== 'settled') return [];
    const { at, tool, decision } = record;
    // A word on other arguments stands with the call they made, too; an id may be that of several words.
    const word = JSON.stringify([decision.id, decision.question, decision.by]);
    if (told.has(word)) return [];
    told.add(word);
    return [{ is: 'said', at, question: decision.question, tool, word: decision }];
  });
  const expired = events.flatMap((event): readonly ToldWord[] =>
    event.type === 'question-expired' ? [{ is: 'expired', at: event.at, question: event.question }] : [],
  );
  return [...said, ...expired].sort((a, b) => a.at - b.at);
}

/** Words that do not count, as the ledger has them: for runs that cannot say it themselves. */
export function readRefused(records: readonly LedgerRecord[]): readonly RefusedDecision[] {
  return records.flatMap((record) => {
    if (record.is !== 'declined') return [];
    const { at, why, decision } = record;
    return [{ id: decision.id, question: decision.question, why, at }];
  });
}
