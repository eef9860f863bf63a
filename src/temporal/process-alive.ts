import { readFileSync } from 'node:fs';

/** Whether a process of that id runs on this machine, whoever owns it. A finished one that nobody has collected does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // Somebody else's process: it lives.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

// In a container whose first process is no init, the orphans of a killed owner stay like this for ever.
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
