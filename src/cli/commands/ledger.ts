import type { Ledger } from '../../contracts/ledger.ts';
import { noteLedger } from '../../policy/note-ledger.ts';
import { verifyLedger } from '../../policy/verify-ledger.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRecords, WHOLE, type RecordFilter } from '../find-records.ts';
import { exportLedger, readExport } from '../ledger-file.ts';
import { ledgerScreen } from '../screens/ledger-screen.ts';
import { verifiedLines } from '../screens/verified-lines.ts';
import { UsageError } from '../usage-error.ts';
import { withLedger } from '../with-ledger.ts';

export interface LedgerInput extends RecordFilter {
  readonly limit?: number;
  readonly export?: string;
  /** `true`: against itself only. */
  readonly verify?: true | readonly string[];
}

const DEFAULT_LIMIT = 200;

/** Shows, exports or verifies the record of effects. Needs no server. */
export function ledger(cli: Cli, input: LedgerInput): Promise<ExitCode> {
  const { verify: files, export: file } = input;
  if (files !== undefined) refuseParts(input);
  return withLedger(cli, async (reader) => {
    if (files !== undefined) return verify(cli, reader, input, files);
    const records = await findRecords(reader, input, cli);
    if (file !== undefined) {
      await exportLedger(file, records);
      cli.answer({ file, records: records.length }, (shown) => `${shown.records} records written to ${shown.file}`);
      return EXIT.done;
    }
    const { limit = cli.flags.json ? WHOLE : DEFAULT_LIMIT } = input;
    // One a line: what is printed is an export.
    if (cli.flags.json) for (const record of records.slice(-limit)) cli.answer(record, () => '');
    else cli.answer(records, (shown, screen) => ledgerScreen(shown, { limit }, screen));
    return EXIT.done;
  });
}

/** A counter counts the records of a whole task. */
function refuseParts({ run, intent, tool, unsettled, limit, export: file }: LedgerInput): void {
  const options = { '--run': run, '--intent': intent, '--tool': tool, '--unsettled': unsettled, '--limit': limit };
  const [given] = Object.entries({ ...options, '--export': file }).find(([, value]) => value !== undefined) ?? [];
  if (given) throw new UsageError(`--verify is of whole tasks and does not go with ${given}. Use --task, or neither.`);
}

async function verify(
  cli: Cli,
  reader: Pick<Ledger, 'read'>,
  { task }: LedgerInput,
  files: true | readonly string[],
): Promise<ExitCode> {
  const exports = files === true ? [] : await Promise.all(files.map(readExport));
  // Not completed: of a task that is gone, an export may still tell.
  const records = await reader.read({ ...(task !== undefined && { task }), limit: WHOLE });
  const earlier = exports.map(({ name, records: all }) => {
    return { name, records: task === undefined ? all : all.filter((record) => record.task === task) };
  });
  if (task !== undefined && [records, ...earlier.map((one) => one.records)].every(({ length }) => length === 0)) {
    throw new Error(`no record of a task "${task}".`);
  }
  const faults = verifyLedger(records, earlier);
  const notes = noteLedger(records, earlier, Date.now());
  const tasks = new Set(records.map((record) => record.task)).size;
  const compared = earlier.map(({ name, records: { length } }) => ({ name, records: length }));
  cli.answer({ records: records.length, tasks, compared, faults, notes }, verifiedLines);
  return faults.length === 0 ? EXIT.done : EXIT.failed;
}
