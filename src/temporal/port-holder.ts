import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { openConnection } from './open-connection.ts';
import { runProgram } from './run-program.ts';
import type { Environment } from './settings.ts';

const ANSWER_WITHIN_MS = 1_000;

/** Who listens on a local port. `program.name` is for people; absent when this user may not see it. */
export type PortHolder =
  { readonly is: 'temporal'; readonly runs: number } | { readonly is: 'program'; readonly name?: string };

/** Finds out who holds a taken port, as well as this machine lets us. Never throws; about a second at most. */
export async function findHolder(port: number, env: Environment): Promise<PortHolder> {
  const runs = await countRuns(`127.0.0.1:${port}`);
  if (runs !== undefined) return { is: 'temporal', runs };
  const name = await (process.platform === 'linux' ? readFromProc(port) : askLsof(port, env)).catch(() => undefined);
  return { is: 'program', ...(name && { name }) };
}

/** Running workflows in the default namespace; undefined when no Temporal answers there. */
async function countRuns(address: string): Promise<number | undefined> {
  const connection = await openConnection({ address, connectTimeout: ANSWER_WITHIN_MS }).catch(() => undefined);
  if (!connection) return undefined;
  try {
    const request = { namespace: 'default', query: 'ExecutionStatus = "Running"' };
    const { count } = await connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      connection.workflowService.countWorkflowExecutions(request),
    );
    return Number(count);
  } catch {
    return 0;
  } finally {
    await connection.close();
  }
}

async function readFromProc(port: number): Promise<string | undefined> {
  const inode = await readInode(port);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of inode ? pids : []) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    if (links.includes(`socket:[${inode}]`)) return named(await readProgramName(pid), pid);
  }
  return undefined;
}

// Not /proc/PID/comm: there Node calls itself MainThread.
async function readProgramName(pid: string): Promise<string> {
  const [program] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  return basename(program ?? '');
}

// Columns of /proc/net/tcp: 1 the local address as HEX:PORT, 3 the state (0A listens), 9 the inode.
async function readInode(port: number): Promise<string | undefined> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
  return rows.find((columns) => columns[1]?.endsWith(`:${hexPort}`) && columns[3] === '0A')?.[9];
}

async function askLsof(port: number, env: Environment): Promise<string | undefined> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const end = await runProgram('lsof', args, { env, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  if (end.is !== 'exited') return undefined;
  const [pid, name] = ['p', 'c'].map((field) =>
    end.output
      .split('\n')
      .find((line) => line.startsWith(field))
      ?.slice(1),
  );
  return pid && name && named(name, pid);
}

function named(name: string, pid: string): string {
  return `${name} (pid ${pid})`;
}
