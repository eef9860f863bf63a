import { assertNever } from './assert-never.ts';
import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import type { LedgerRecord } from '../contracts/ledger.ts';

/** An earlier copy of a ledger, or of a part of it. */
export interface LedgerExport {
  /** For people: where it was read from. */
  readonly name: string;
  readonly records: readonly LedgerRecord[];
}

/**
 * What a ledger must never show. `gap`: a task's counter skips from one number to another; `twice`: a number stands for two
 * records; `late`: a record was written after one with a higher number; `changed`: a record is not what an export says it was; `vanished`: an export has it and the ledger has not.
 */
export type LedgerFault =
  | { readonly is: 'gap'; readonly task: string; readonly after: number; readonly next: number }
  | { readonly is: 'twice'; readonly task: string; readonly counter: number }
  | { readonly is: 'late'; readonly task: string; readonly counter: number; readonly after: number }
  | { readonly is: 'changed'; readonly task: string; readonly counter: number; readonly export: string }
  | { readonly is: 'vanished'; readonly task: string; readonly counter: number; readonly export: string };

/**
 * Looks for what an append-only ledger can never hold, in all records of the tasks given, by time of writing, and against
 * earlier exports. Later records than an export's are no fault.
 */
export function verifyLedger(
  records: readonly LedgerRecord[],
  exports: readonly LedgerExport[],
): readonly LedgerFault[] {
  const now = new Map(records.map((record) => [placeOf(record), record]));
  const counted = Map.groupBy(records, ({ task }) => task);
  return [
    ...[...counted].flatMap(([task, ofTask]) => [...countFaults(task, ofTask), ...lateFaults(task, ofTask)]),
    ...exports.flatMap((earlier) => earlier.records.flatMap((record) => compare(record, now, earlier.name))),
  ];
}

const placeOf = ({ task, counter }: LedgerRecord): string => JSON.stringify([task, counter]);

function countFaults(task: string, records: readonly LedgerRecord[]): readonly LedgerFault[] {
  const counters = records.map(({ counter }) => counter).sort((a, b) => a - b);
  return counters.flatMap((next, at): readonly LedgerFault[] => {
    const after = at === 0 ? 0 : (counters[at - 1] ?? 0);
    if (next === after) return [{ is: 'twice', task, counter: next }];
    return next === after + 1 ? [] : [{ is: 'gap', task, after, next }];
  });
}

function lateFaults(task: string, records: readonly LedgerRecord[]): readonly LedgerFault[] {
  let highest = 0;
  return records.flatMap(({ counter }): readonly LedgerFault[] => {
    const after = highest;
    highest = Math.max(highest, counter);
    return counter < after ? [{ is: 'late', task, counter, after }] : [];
  });
}

function compare(record: LedgerRecord, now: ReadonlyMap<string, LedgerRecord>, name: string): readonly LedgerFault[] {
  const { task, counter } = record;
  const standing = now.get(placeOf(record));
  if (!standing) return [{ is: 'vanished', task, counter, export: name }];
  const isSame = canonicalJson(toJson(standing)) === canonicalJson(toJson(record));
  return isSame ? [] : [{ is: 'changed', task, counter, export: name }];
}

/** Without what JSON leaves out: an export has been through it. */
const toJson = (record: LedgerRecord): Json => JSON.parse(JSON.stringify(record)) as Json;

/** A fault in one sentence. */
export function describeFault(fault: LedgerFault): string {
  const { is, task } = fault;
  switch (is) {
    case 'gap':
      return `task ${task}: record ${fault.after + 1}${fault.next - fault.after > 2 ? ` to ${fault.next - 1}` : ''} is missing`;
    case 'twice':
      return `task ${task}: two records have the number ${fault.counter}`;
    case 'late':
      return `task ${task}: record ${fault.counter} was written after record ${fault.after}`;
    case 'changed':
      return `task ${task}: record ${fault.counter} is not what ${fault.export} says it was`;
    case 'vanished':
      return `task ${task}: record ${fault.counter} is in ${fault.export} and no longer in the ledger`;
    default:
      return assertNever(is);
  }
}
