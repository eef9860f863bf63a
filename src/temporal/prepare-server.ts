import { msToTs } from '@temporalio/common/lib/time.js';
import type { ServerPlace } from './dev-server-flags.ts';
import { openConnection } from './open-connection.ts';
import { answers } from './ports.ts';
import type { ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** Why a started server cannot be used. `log` is what it wrote. */
export type StartFailure =
  | { readonly is: 'ended'; readonly log: string }
  | { readonly is: 'silent'; readonly afterS: number; readonly log: string };

const ANSWER_WITHIN_MS = 60_000;
const RETENTION = '90 days';

/** Waits until the server answers for its namespace, and sets what no flag sets: how long finished runs are kept. */
export async function prepareServer(
  place: ServerPlace,
  server: ServerProcess,
): Promise<{ readonly is: 'ready' } | StartFailure> {
  const limits = { withinMs: ANSWER_WITHIN_MS, signal: server.ended };
  const ready =
    (await waitUntil(() => isOurs(place, server), limits)) && (await waitUntil(() => keepRuns(place), limits));
  if (ready && !server.ended.aborted) return { is: 'ready' };
  const log = await server.readLog();
  return server.ended.aborted ? { is: 'ended', log } : { is: 'silent', afterS: ANSWER_WITHIN_MS / 1000, log };
}

/** Whether somebody else took one of its ports in between: then another start, on others, can succeed. */
export function lostPort(failure: StartFailure): boolean {
  return failure.is === 'ended' && /address already in use/i.test(failure.log);
}

// A port can be lost to another Temporal between choosing and listening; that one would answer too. The banner is ours alone.
async function isOurs({ port }: ServerPlace, server: ServerProcess): Promise<boolean> {
  const banner = new RegExp(`Server:\\s+\\S+:${port}\\b`);
  return banner.test(await server.readLog()) && answers(`127.0.0.1:${port}`, 500);
}

async function keepRuns({ port, namespace }: ServerPlace): Promise<boolean> {
  const connection = await openConnection({ address: `127.0.0.1:${port}`, connectTimeout: 2_000 }).catch(
    () => false as const,
  );
  if (!connection) return false;
  try {
    const config = { workflowExecutionRetentionTtl: msToTs(RETENTION) };
    await connection.workflowService.updateNamespace({ namespace, config });
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
