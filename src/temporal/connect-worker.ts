import { NativeConnection } from '@temporalio/worker';
import { CONNECT_WITHIN_MS } from './connect.ts';
import { findAddress, type ConnectSettings } from './find-address.ts';
import { explainNotReached } from './server-not-reached.ts';

/** A worker's connection. Whoever asked for it closes it, after the last worker that uses it. */
export interface WorkerConnected {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly address: string;
}

/** As `connect`, for workers. In a file of its own: it loads the native part, which clients need not wait for. @throws ServerNotReached */
export async function connectWorker(settings: ConnectSettings): Promise<WorkerConnected> {
  const { address, options } = await findAddress(settings);
  try {
    const connection = await inTime(NativeConnection.connect({ ...options, address }));
    return { connection, namespace: settings.temporal.namespace, address };
  } catch (cause) {
    throw await explainNotReached(settings.temporal, address, cause);
  }
}

// The native connection has no time-out of its own.
async function inTime(connecting: Promise<NativeConnection>): Promise<NativeConnection> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer in ${CONNECT_WITHIN_MS / 1000} s`));
      void connecting.then((connection) => connection.close()).catch(() => {});
    }, CONNECT_WITHIN_MS);
  });
  return Promise.race([connecting, tooLate]).finally(() => {
    clearTimeout(timer);
  });
}
