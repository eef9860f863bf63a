import type { Screen } from './screen.ts';
import { table } from './table.ts';
import { span } from './times.ts';

/** The server that `dev` works with: its own, another process's in the same data folder, or one that is not ours. */
export type ServerInUse =
  | {
      readonly is: 'started' | 'joined';
      readonly address: string;
      readonly uiUrl: string;
      readonly pid: number;
      /** Of the Temporal CLI. */
      readonly version: string;
    }
  | { readonly is: 'external'; readonly address: string; readonly namespace: string };

/** What runs once `dev` has set up. */
export interface DevReport {
  readonly server: ServerInUse;
  /** Absent: there is no configuration to run a worker for. */
  readonly worker?: { readonly agents: readonly string[]; readonly taskQueue: string };
  readonly tookMs: number;
}

/** Where things are, and what to try next. */
export function devScreen(report: DevReport, screen: Screen): string {
  const { server, worker, tookMs } = report;
  const rows = [
    ...(server.is === 'external' ? [] : [['Web UI', screen.paint.cyan(server.uiUrl)]]),
    ['Server', describeServer(server)],
    ['Worker', worker ? `${list(worker.agents)} · task queue ${worker.taskQueue}` : 'none: no holdfast.config.ts here'],
  ];
  return [
    `${screen.paint.green('ready')} in ${span(tookMs)}\n`,
    table(rows, '  '),
    '',
    ...tryNext(report, screen),
    ...ctrlC(report, screen),
  ].join('\n');
}

function describeServer(server: ServerInUse): string {
  switch (server.is) {
    case 'started':
      return `${server.address} · Temporal CLI ${server.version}`;
    case 'joined':
      return `${server.address} · joined, process ${server.pid} runs it already`;
    case 'external':
      return `${server.address} · namespace ${server.namespace}`;
  }
}

function tryNext({ worker }: DevReport, { command }: Screen): readonly string[] {
  const [agent] = worker?.agents ?? [];
  if (agent === undefined) return ['For a worker write holdfast.config.ts, then:', `  ${command('dev')}`];
  return ['Try in another terminal:', `  ${command('start', agent, '--input', '…')}`, `  ${command('inbox')}`];
}

function ctrlC({ server, worker }: DevReport, { paint }: Screen): readonly string[] {
  if (server.is === 'started') {
    const what = worker ? 'server and worker' : 'the server';
    return ['', paint.dim(`Ctrl-C ends ${what}. Runs are kept and go on with the next dev.`)];
  }
  return worker ? ['', paint.dim('Ctrl-C ends the worker. The server goes on; runs then wait for a worker.')] : [];
}

/** What has ended with `dev`, and what goes on without it. */
export function devEnd(
  { server, hadWorker }: { server: ServerInUse; hadWorker: boolean },
  { command }: Screen,
): string {
  const ended = [...(server.is === 'started' ? ['server'] : []), ...(hadWorker ? ['worker'] : [])].join(' and ');
  const goesOn =
    server.is === 'started' ? 'Runs are kept and go on with:' : 'The server goes on; runs wait for a worker:';
  return `Ended: ${ended}. ${goesOn}\n  ${command('dev')}`;
}

const list = (agents: readonly string[]): string => `${agents.length === 1 ? 'agent' : 'agents'} ${agents.join(', ')}`;
