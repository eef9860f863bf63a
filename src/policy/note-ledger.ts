import type { ApprovalRule } from '../contracts/approval.ts';
import type { LedgerRecord } from '../contracts/ledger.ts';
import { assertNever } from './assert-never.ts';
import { describeRule } from './fits-rule.ts';
import { foldKey } from './fold-key.ts';
import { landsUntil } from './lands-until.ts';
import type { LedgerExport } from './verify-ledger.ts';

/**
 * What a ledger may well show, and whoever checks it should know. `open`: an effect that can no longer land and of which nobody
 * knows the end; `rule`: a remembered approval; `not-in-export`: a record that an export lacks, though it has later ones: it was
 * one of a part, or the record came afterwards.
 */
export type LedgerNote =
  | {
      readonly is: 'open';
      readonly task: string;
      readonly intent: string;
      readonly run: string;
      readonly since: number;
    }
  | { readonly is: 'rule'; readonly task: string; readonly rule: ApprovalRule }
  | {
      readonly is: 'not-in-export';
      readonly task: string;
      readonly counters: readonly number[];
      readonly export: string;
    };

/** `now` in epoch milliseconds. */
export function noteLedger(
  records: readonly LedgerRecord[],
  exports: readonly LedgerExport[],
  now: number,
): readonly LedgerNote[] {
  return [
    ...openOf(records, now),
    ...records.flatMap((record): readonly LedgerNote[] =>
      record.is === 'ruled' ? [{ is: 'rule', task: record.task, rule: record.rule }] : [],
    ),
    ...exports.flatMap((earlier) => lackedBy(earlier, records)),
  ];
}

function openOf(records: readonly LedgerRecord[], now: number): readonly LedgerNote[] {
  const byKey = Map.groupBy(records, ({ key }) => JSON.stringify([key.namespace, key.scope, key.intent]));
  return [...byKey.values()].flatMap((ofKey): readonly LedgerNote[] => {
    const state = foldKey(ofKey);
    if (state.is !== 'open') return [];
    if (state.claims.some((claim) => now < landsUntil(claim))) return [];
    const { task, key, run, at } = state.claims[0].claim;
    return [{ is: 'open', task, intent: key.intent, run, since: at }];
  });
}

function lackedBy({ name, records: earlier }: LedgerExport, records: readonly LedgerRecord[]): readonly LedgerNote[] {
  const byTask = Map.groupBy(records, ({ task }) => task);
  return [...Map.groupBy(earlier, ({ task }) => task)].flatMap(([task, known]): readonly LedgerNote[] => {
    const has = new Set(known.map(({ counter }) => counter));
    const newest = Math.max(...has);
    const counters = (byTask.get(task) ?? [])
      .map(({ counter }) => counter)
      .filter((counter) => counter < newest && !has.has(counter));
    return counters.length === 0 ? [] : [{ is: 'not-in-export', task, counters, export: name }];
  });
}

/** A note in one sentence. */
export function describeNote(note: LedgerNote): string {
  switch (note.is) {
    case 'open':
      return `task ${note.task}: nobody knows the end of ${note.intent}, run ${note.run}; it can no longer land`;
    case 'rule':
      return `task ${note.task}: ${describeRule(note.rule)}`;
    case 'not-in-export':
      return `task ${note.task}: ${note.export} lacks record ${note.counters.join(', ')}: it is of a part, or they came later`;
    default:
      return assertNever(note);
  }
}
