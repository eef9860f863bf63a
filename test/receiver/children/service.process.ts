// A service in its own process: node service.process.ts '{"file":"keys.db","way":"hangs"}'. It prints its address, then
// `acted` when an effect is there. Effects are rows of a file of their own, or of the keys' file in a transaction.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { honourInTransaction, honourKeys, openKeyStore, toListener } from '../../../src/receiver/index.ts';

interface Options {
  readonly file: string;
  readonly effects: string;
  readonly way: 'answers' | 'hangs-before' | 'hangs-after' | 'hangs-in-transaction';
}

const { file, effects, way } = JSON.parse(process.argv[2] ?? '') as Options;
const say = (line: string) => process.stdout.write(`${line}\n`);
const database = new DatabaseSync(file, { timeout: 5_000 });
const keys = openKeyStore(way === 'hangs-in-transaction' ? database : file, { lease: '1s' });
const book = new DatabaseSync(effects, { timeout: 5_000 });
const CREATE = 'CREATE TABLE IF NOT EXISTS effects (what TEXT NOT NULL) STRICT';
book.exec(`PRAGMA journal_mode = WAL; ${CREATE}`);

const act = (where: DatabaseSync) => where.prepare('INSERT INTO effects (what) VALUES (?)').run('refund');
const never = new Promise<Response>(() => undefined);

const handle = (request: Request): Promise<Response> => {
  if (way === 'hangs-in-transaction') {
    return honourInTransaction({ keys, request }, ({ database: own }) => {
      own.exec(CREATE);
      act(own);
      say('acted');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      return { status: 200 };
    });
  }
  return honourKeys({ keys, request }, async () => {
    if (way !== 'hangs-before') act(book);
    say('acted');
    return way === 'answers' ? Response.json({ id: 're_1' }) : never;
  });
};

const server = createServer(toListener(handle));
server.listen(0, '127.0.0.1', () => {
  say(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
