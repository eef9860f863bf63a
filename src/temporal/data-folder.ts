import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { answers } from './ports.ts';
import { isAlive } from './process-alive.ts';
import { takeTurn } from './take-turn.ts';

/** The server that serves a data folder, as its lock describes it. */
export interface ServerRecord {
  /** Of the server itself, not of who started it. */
  readonly pid: number;
  /** The process whose end ends the server; absent when it lives on its own. */
  readonly owner?: number;
  readonly address: string;
  readonly uiUrl: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Of the Temporal CLI. */
  readonly version: string;
}

/**
 * What a look at the lock shows. `starting`: a living process is about to start a server. `ending`: the server's process still
 * lives, but its owner is gone or its port does not answer. `stale`: nobody stands behind the lock.
 */
export type LockState =
  | { readonly is: 'none' }
  | { readonly is: 'starting'; readonly pid: number }
  | { readonly is: 'running'; readonly server: ServerRecord }
  | { readonly is: 'ending'; readonly server: ServerRecord }
  | { readonly is: 'stale'; readonly why: string };

type LockContent = { readonly is: 'starting'; readonly pid: number } | ({ readonly is: 'running' } & ServerRecord);

const ANSWER_WITHIN_MS = 1_000;

/** Makes the folder, for this user only and ignored by git. @throws CannotStartServer when it cannot be written. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir);
  await writeFile(join(dataDir, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {});
}

/** Looks at the lock and at what it names. Never throws: a lock nobody can read is stale. */
export async function readLock(dataDir: string): Promise<LockState> {
  const text = await readFile(lockFile(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return { is: 'none' };
  const content = parseLock(text);
  if (!content) return { is: 'stale', why: 'the lock is not readable' };
  if (!isAlive(content.pid)) return { is: 'stale', why: `process ${content.pid} is gone` };
  if (content.is === 'starting') return content;
  const { is, ...server } = content;
  const abandoned = server.owner !== undefined && !isAlive(server.owner);
  return { is: !abandoned && (await answers(server.address, ANSWER_WITHIN_MS)) ? 'running' : 'ending', server };
}

/** Takes the lock for this process, which is then about to start a server; or tells why not. `evenEnding` also takes it from a server that is ending. */
export async function takeLock(
  dataDir: string,
  rule: { readonly evenEnding: boolean },
): Promise<{ readonly is: 'mine' } | Exclude<LockState, { is: 'none' | 'stale' }>> {
  return takeTurn(guardFile(dataDir), async () => {
    const state = await readLock(dataDir);
    const free = state.is === 'none' || state.is === 'stale' || (state.is === 'ending' && rule.evenEnding);
    if (!free) return state;
    await write(dataDir, { is: 'starting', pid: process.pid });
    return { is: 'mine' };
  });
}

/** Names the started server in a lock that this process holds. */
export async function publishServer(dataDir: string, server: ServerRecord): Promise<void> {
  await takeTurn(guardFile(dataDir), () => write(dataDir, { is: 'running', ...server }));
}

/** Gives the lock back if it still names this process or this server; somebody may have taken it over. */
export async function releaseLock(dataDir: string, pid: number): Promise<void> {
  if (!(await names(dataDir, pid))) return;
  await takeTurn(guardFile(dataDir), async () => {
    if (await names(dataDir, pid)) await rm(lockFile(dataDir), { force: true });
  });
}

async function names(dataDir: string, pid: number): Promise<boolean> {
  const text = await readFile(lockFile(dataDir), 'utf8').catch(() => '');
  return parseLock(text)?.pid === pid;
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'lock');
}

function guardFile(dataDir: string): string {
  return join(dataDir, 'lock.guard');
}

// Readers take no turn, so they must never see half of it.
async function write(dataDir: string, content: LockContent): Promise<void> {
  const draft = `${lockFile(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(content)}\n`);
  await rename(draft, lockFile(dataDir));
}

function parseLock(text: string): LockContent | undefined {
  try {
    const content = JSON.parse(text) as Partial<ServerRecord> & { is?: unknown };
    const complete = content.is === 'running' ? typeof content.address === 'string' : content.is === 'starting';
    // Checked just above, field by field as far as a wrong lock could mislead us.
    return complete && Number.isInteger(content.pid) ? (content as LockContent) : undefined;
  } catch {
    return undefined;
  }
}
