import type { Connection } from '@temporalio/client';
import { findAddress, type ConnectSettings } from './find-address.ts';
import { openConnection } from './open-connection.ts';
import { knock } from './ports.ts';
import { explainNotReached } from './server-not-reached.ts';

/** A client's connection. Whoever asked for it closes it. */
export interface Connected {
  readonly connection: Connection;
  readonly namespace: string;
  readonly address: string;
}

/** Long enough for a server far away, short enough for a person who mistyped its address. */
export const CONNECT_WITHIN_MS = 5_000;

/** Connects a client to the Temporal server of the settings. @throws ServerNotReached with what to do about it. */
export async function connect(settings: ConnectSettings): Promise<Connected> {
  const { address, options } = await findAddress(settings);
  try {
    await refuseClosedPort(address);
    const connection = await openConnection({ ...options, address, connectTimeout: CONNECT_WITHIN_MS });
    return { connection, namespace: settings.temporal.namespace, address };
  } catch (cause) {
    throw await explainNotReached(settings.temporal, address, cause);
  }
}

// gRPC keeps trying a closed port until its time is over. Only for this machine: elsewhere a proxy may know the way.
async function refuseClosedPort(address: string): Promise<void> {
  if (!/^(localhost|127\.0\.0\.1|\[::1\]):/.test(address)) return;
  const door = await knock(address, CONNECT_WITHIN_MS);
  if (door.is === 'closed') throw new Error(door.why);
}
