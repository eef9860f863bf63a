import type { AgentClient } from '../../client/agent-client.ts';
import type { LedgerRecord } from '../../contracts/ledger.ts';
import { verifyLedger } from '../../policy/verify-ledger.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findIntent } from '../find-intent.ts';
import { exportLedger, readExport } from '../ledger-file.ts';
import { ledgerScreen } from '../screens/ledger-screen.ts';
import { verifiedLines } from '../screens/verified-lines.ts';
import { UsageError } from '../usage-error.ts';
import { withClient } from '../with-client.ts';

export interface LedgerInput {
  readonly run?: string;
  readonly task?: string;
  readonly intent?: string;
  readonly tool?: string;
  readonly unsettled?: true;
  readonly limit?: number;
  readonly export?: string;
  /** `true`: against itself only. */
  readonly verify?: true | readonly string[];
}

const DEFAULT_LIMIT = 200;
/** An export and a check are of the whole. */
const WHOLE = 2 ** 31 - 1;

/** Shows, exports or verifies the record of effects. */
export function ledger(cli: Cli, input: LedgerInput): Promise<ExitCode> {
  if (input.verify !== undefined) refuseParts(input);
  return withClient(cli, async (client) => {
    if (input.verify !== undefined) return verify(cli, client, input, input.verify);
    const { records, isAll } = await find(cli, client, input);
    if (input.export !== undefined) {
      await exportLedger(input.export, records);
      cli.answer(
        { file: input.export, records: records.length },
        ({ file, records: count }) => `${count} records written to ${file}`,
      );
      return EXIT.done;
    }
    cli.answer(records, (shown, screen) => ledgerScreen(shown, { isAll }, screen));
    return EXIT.done;
  });
}

interface Found {
  readonly records: readonly LedgerRecord[];
  /** False when older ones were left out. */
  readonly isAll: boolean;
}

async function find(cli: Cli, client: AgentClient, input: LedgerInput): Promise<Found> {
  const { run, task, unsettled, intent, tool } = input;
  const limit = input.export === undefined ? (input.limit ?? DEFAULT_LIMIT) : WHOLE;
  const asked = {
    ...(run !== undefined && { run }),
    ...(task !== undefined && { task }),
    ...(unsettled && { unsettled }),
  };
  const all = await wholeActions(client, await client.ledger({ ...asked, limit: WHOLE }), run !== undefined);
  const ofTool = tool === undefined ? all : all.filter((record) => record.tool === tool);
  const wanted = intent === undefined ? undefined : findIntent(intent, ofTool, cli);
  const records = wanted === undefined ? ofTool : ofTool.filter(({ key }) => key.intent === wanted);
  if (records.length === 0) refuseNothing(input, all);
  return { records: records.slice(-limit), isAll: records.length <= limit };
}

/** Other runs may have told the end of an action: of a run's actions all records are shown. */
async function wholeActions(
  client: AgentClient,
  records: readonly LedgerRecord[],
  isPart: boolean,
): Promise<readonly LedgerRecord[]> {
  if (!isPart) return records;
  const keys = new Map(records.map(({ key }) => [JSON.stringify([key.namespace, key.scope, key.intent]), key]));
  const whole = await Promise.all([...keys.values()].map((key) => client.ledger({ key, limit: WHOLE })));
  return whole.flat();
}

/** A filter that fits nothing is most often mistyped; an empty ledger is empty. */
function refuseNothing({ tool }: LedgerInput, all: readonly LedgerRecord[]): void {
  if (tool === undefined || all.length === 0) return;
  const tools = [...new Set(all.map((record) => record.tool))].join(', ');
  throw new Error(`No record of a tool "${tool}". Here are records of: ${tools}.`);
}

/** A counter counts the records of a whole task. */
function refuseParts({ run, intent, tool, unsettled, limit }: LedgerInput): void {
  const part = [run && '--run', intent && '--intent', tool && '--tool', unsettled && '--unsettled', limit && '--limit'];
  const given = part.find(Boolean);
  if (given) throw new UsageError(`--verify is of whole tasks and does not go with ${given}. Use --task, or neither.`);
}

async function verify(
  cli: Cli,
  client: AgentClient,
  { task }: LedgerInput,
  files: true | readonly string[],
): Promise<ExitCode> {
  const exports = files === true ? [] : await Promise.all(files.map(readExport));
  const records = await client.ledger({ ...(task !== undefined && { task }), limit: WHOLE });
  const ofTask = exports.map(({ name, records: earlier }) => {
    return { name, records: task === undefined ? earlier : earlier.filter((record) => record.task === task) };
  });
  const faults = verifyLedger(records, ofTask);
  const tasks = new Set(records.map((record) => record.task)).size;
  const compared = ofTask.map(({ name, records: { length } }) => ({ name, records: length }));
  cli.answer({ records: records.length, tasks, compared, faults }, verifiedLines);
  return faults.length === 0 ? EXIT.done : EXIT.failed;
}
