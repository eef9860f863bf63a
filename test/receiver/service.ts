import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach } from '@jest/globals';

/** Starts services that end with the test: in this process, or in one of their own. */
export function services() {
  const servers: Server[] = [];
  const children: ChildProcess[] = [];
  const folders: string[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  return {
    /** Paths in a new folder. */
    files() {
      const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
      folders.push(folder);
      return { file: join(folder, 'keys.db'), effects: join(folder, 'effects.db') };
    },
    async serve(listener: RequestListener): Promise<string> {
      const server = createServer(listener);
      servers.push(server);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async start(options: object) {
      const script = fileURLToPath(new URL('./children/service.process.ts', import.meta.url));
      const child = spawn(process.execPath, ['--no-warnings', script, JSON.stringify(options)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const line = async () => {
        const { value, done } = await lines.next();
        if (done) throw new Error('The service ended without a word.');
        return value;
      };
      const kill = async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      };
      return { url: await line(), line, kill };
    },
  };
}

export function countEffects(file: string): number {
  const database = new DatabaseSync(file);
  try {
    const there = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'effects'`).get();
    return there ? Number(database.prepare('SELECT count(*) AS n FROM effects').get()?.n) : 0;
  } finally {
    database.close();
  }
}

export interface Sent {
  readonly key?: string;
  readonly body?: string;
  readonly method?: string;
  readonly path?: string;
}

/** Sends a refund and reads the answer. */
export async function send(url: string, { key, body = '{"cents":100}', method = 'POST', path = '/refunds' }: Sent) {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    ...(method !== 'GET' && { body }),
  });
  const text = await response.text();
  const { status, headers } = response;
  const type = status >= 400 && text.startsWith('{') ? (JSON.parse(text) as { type?: string }).type : undefined;
  return { status, text, headers, type: type?.replace('urn:holdfast:problem:', '') };
}
