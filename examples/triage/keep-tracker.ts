import { startServerProcess } from '../../src/testing/index.ts';

export interface KeptTracker {
  readonly url: string;
  close(): Promise<void>;
}

const SCRIPT = new URL('./tracker.process.ts', import.meta.url);

/** Keeps one tracker process alive, at one address: whoever kills it, another takes over with the same database. */
export async function keepTracker(dbFile: string, answersAfterMs: number): Promise<KeptTracker> {
  let isClosing = false;
  let tracker = await startServerProcess(SCRIPT, { dbFile, answersAfterMs });
  const { url } = tracker;
  const port = Number(new URL(url).port);
  const keep = async () => {
    for (;;) {
      await tracker.gone;
      if (isClosing) return;
      console.log('  the tracker is gone; starting it again');
      tracker = await startServerProcess(SCRIPT, { dbFile, answersAfterMs, port });
    }
  };
  const kept = keep().catch((error: unknown) => {
    console.error(`  the tracker did not start again: ${String(error)}`);
  });
  return {
    url,
    async close() {
      isClosing = true;
      await tracker.close();
      await kept;
    },
  };
}
