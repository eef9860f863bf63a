import type { Screen } from './screen.ts';
import { table } from './table.ts';
import { span } from './times.ts';

interface WorkerWork {
  readonly agents: readonly string[];
  readonly taskQueue: string;
}

/** A worker that takes work, and where it is looked after. */
export interface WorkerReport extends WorkerWork {
  readonly server: { readonly address: string; readonly namespace: string };
  readonly host: string;
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
  readonly tookMs: number;
}

/** The first line of its log. */
export function workerStarting({ agents, taskQueue }: WorkerWork): string {
  return `Holdfast worker · ${agents.length === 1 ? 'agent' : 'agents'} ${agents.join(', ')} · task queue ${taskQueue}`;
}

/** From here on it takes work. */
export function workerScreen({ server, tookMs, ...ports }: WorkerReport, { paint }: Screen): string {
  const { host, healthPort, metricsPort } = ports;
  const at = (port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const rows = [
    ['Server', `${server.address} · namespace ${server.namespace}`],
    ...(healthPort === undefined ? [] : [['Health', `${at(healthPort)}/healthz · ${at(healthPort)}/readyz`]]),
    ...(metricsPort === undefined ? [] : [['Metrics', `${at(metricsPort)}/metrics`]]),
  ];
  return `${table(rows, '  ')}\n${paint.green('ready')} in ${span(tookMs)}`;
}

/** `grace` as it was given. */
export function workerEnding(calls: number, grace: string | number): string {
  const within = typeof grace === 'number' ? span(grace) : grace;
  if (calls === 0) return 'shutting down; no call is under way';
  return `shutting down; ${calls} ${calls === 1 ? 'call' : 'calls'} under way may end first, within ${within}`;
}
