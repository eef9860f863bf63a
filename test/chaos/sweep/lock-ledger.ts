import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./ledger-lock.process.ts', import.meta.url));

/** Makes a ledger unavailable: another process holds its lock until `release`, which kills that process. */
export async function lockLedger(file: string): Promise<{ release(): Promise<void> }> {
  const child = spawn(process.execPath, [PROGRAM, file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const gone = once(child, 'close');
  const locked = once(child, 'message').then(() => true);
  if (!(await Promise.race([locked, gone.then(() => false)]))) throw new Error(`Cannot lock the ledger ${file}.`);
  return {
    async release() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
