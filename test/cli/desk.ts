import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';
import config from './fixtures/holdfast.config.ts';
import { CONFIG, runCli, startCli, type CliEnd, type RunningCli } from './run-cli.ts';

export interface Call {
  readonly tool: 'get_order' | 'refund' | 'ship' | 'send_note';
  readonly order: string;
}

/** The configuration's agent at work in this process, and the program beside it in the same place. */
export interface Desk {
  readonly rig: Rig;
  /** Runs a command to its end. */
  run(...args: readonly string[]): Promise<CliEnd>;
  /** The same, with something to read from standard input. */
  pipe(input: string, ...args: readonly string[]): Promise<CliEnd>;
  start(...args: readonly string[]): RunningCli;
  /** Starts a run that makes these batches of calls, and gives its id. */
  begin(...batches: readonly (readonly Call[])[]): Promise<string>;
}

export async function openDesk(options: Parameters<typeof openRig>[1] = {}): Promise<Desk> {
  const rig = await openRig(config.agents[0]!, options);
  if (options.worker !== 'later') await eventually('a worker', () => rig.client.hasWorker());
  const env = {
    HOLDFAST_DATA: rig.settings.dataDir,
    HOLDFAST_TEST_QUEUE: rig.taskQueue,
    TEMPORAL_ADDRESS: rig.settings.temporal.is === 'external' ? rig.settings.temporal.address : '',
  };
  const withConfig = (args: readonly string[]) => [...args, '--config', CONFIG];
  return {
    rig,
    run: (...args) => runCli(withConfig(args), { env }),
    pipe: (input, ...args) => runCli(withConfig(args), { env, input }),
    start: (...args) => startCli(withConfig(args), { env }),
    begin: async (...batches) => (await rig.client.start({ agent: 'support', input: script(...batches) })).id,
  };
}

/** The input with which the configuration's model makes these batches of calls, then says what it heard. */
export function script(...batches: readonly (readonly Call[])[]): string {
  const asked = ({ tool, order }: Call) => ({ tool, input: { order, ...(tool === 'refund' && { amount: 49 }) } });
  return JSON.stringify(batches.map((batch) => batch.map(asked)));
}
