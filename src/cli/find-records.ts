import type { Ledger, LedgerQuery, LedgerRecord } from '../contracts/ledger.ts';
import type { Cli } from './cli.ts';
import { findName } from './find-name.ts';

/** Which records are meant; of each name a part will do. */
export interface RecordFilter {
  readonly run?: string;
  readonly task?: string;
  readonly intent?: string;
  readonly tool?: string;
  readonly unsettled?: true;
}

type Reader = Pick<Ledger, 'read'>;

/** A check, an export and a search are of the whole. */
export const WHOLE = 2 ** 31 - 1;

/** The records of every action that the filter names, whole, in the order in which they were written. @throws for a name that fits none. */
export async function findRecords(
  ledger: Reader,
  { run, task, intent, tool, unsettled }: RecordFilter,
  { command }: Pick<Cli, 'command'>,
): Promise<readonly LedgerRecord[]> {
  const otherwise = command('ledger');
  const ofState = unsettled ? { unsettled } : {};
  const ofTask = await readBy(ledger, 'task', task, { ofState, otherwise });
  const ofRun = run === undefined ? ofTask : await readBy(ledger, 'run', run, { ofState, otherwise });
  const both = task === undefined ? ofRun : ofRun.filter((record) => record.task === ofTask[0]?.task);
  const whole = run === undefined ? both : await wholeActions(ledger, both);
  const narrow = (records: readonly LedgerRecord[], what: string, typed: string | undefined, of: NameOf) => {
    if (typed === undefined) return records;
    const name = findName(typed, records.map(of), { what, otherwise });
    return records.filter((record) => of(record) === name);
  };
  const ofTool = narrow(whole, 'tool', tool, (record) => record.tool);
  return narrow(ofTool, 'intent', intent, ({ key }) => key.intent);
}

type NameOf = (record: LedgerRecord) => string;

/** By the index where the name is whole; else all are looked through for what it may stand for. */
async function readBy(
  ledger: Reader,
  what: 'run' | 'task',
  typed: string | undefined,
  { ofState, otherwise }: { readonly ofState: LedgerQuery; readonly otherwise: string },
): Promise<readonly LedgerRecord[]> {
  if (typed === undefined) return ledger.read({ ...ofState, limit: WHOLE });
  const exact = await ledger.read({ ...ofState, [what]: typed, limit: WHOLE });
  if (exact.length > 0) return exact;
  const all = await ledger.read({ limit: WHOLE });
  const name = findName(
    typed,
    all.map((record) => record[what]),
    { what, otherwise },
  );
  return ledger.read({ ...ofState, [what]: name, limit: WHOLE });
}

/** Other runs may have told the end of an action: of a run's actions all records are meant. */
async function wholeActions(ledger: Reader, records: readonly LedgerRecord[]): Promise<readonly LedgerRecord[]> {
  const keys = new Map(records.map(({ key }) => [keyText(key), key]));
  const whole = await Promise.all([...keys.values()].map((key) => ledger.read({ key, limit: WHOLE })));
  return whole.flat();
}

export const keyText = ({ namespace, scope, intent }: LedgerRecord['key']): string =>
  JSON.stringify([namespace, scope, intent]);
