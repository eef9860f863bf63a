import { readLock } from '../temporal/data-folder.ts';
import type { Settings } from '../temporal/settings.ts';

/** Makes the Web UI's address of a run. Only that of our own server is known; the lock of its data folder names it. */
export async function webUrlOf(settings: Settings): Promise<(run: string) => string | undefined> {
  if (settings.temporal.is !== 'local') return () => undefined;
  const lock = await readLock(settings.dataDir);
  if (lock.is !== 'running') return () => undefined;
  const { uiUrl } = lock.server;
  const { namespace } = settings.temporal;
  return (run) => `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(run)}`;
}
