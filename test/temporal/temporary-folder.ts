import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';

/** Makes folders that go with the test that asked for them. */
export function temporaryFolders(): () => Promise<string> {
  const made: string[] = [];
  afterEach(async () => {
    await Promise.all(made.splice(0).map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
  });
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    made.push(folder);
    return folder;
  };
}
