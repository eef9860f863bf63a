import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptStore } from '../../src/contracts/transcript.ts';
import { openFileTranscripts } from '../../src/stores/file-transcripts.ts';
import { useChildren } from './child.ts';
import { makeFolder, makeLocalPlace, removeFolder } from './store-folder.ts';
import { transcriptsContract, user } from './transcripts-contract.ts';

transcriptsContract('files', () => makeLocalPlace('file', 'transcripts'));

const start = useChildren();
let folder: string;
let transcripts: TranscriptStore;

beforeEach(async () => {
  folder = await makeFolder();
  transcripts = openFileTranscripts(folder);
});

afterEach(() => removeFolder(folder));

async function filesIn(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])).sort();
}

const pathOf = (hash: string) => join(folder, hash.slice(0, 2), `${hash}.json`);

test('parts lie in folders by their first two hex digits, and nothing else is left', async () => {
  const refs = await Promise.all([1, 2, 2, 3].map((value) => transcripts.put(value)));

  expect(await filesIn(folder)).toEqual([...new Set(refs.map(pathOf))].sort());
});

test.each([
  ['missing', (path: string) => rm(path), 'Check that all workers use the same folder'],
  [
    'damaged',
    (path: string) => writeFile(path, '{"parent":null,"message":{}}'),
    'The file was changed after it was written',
  ],
])('a %s part in the middle of a conversation is named with its file and what it means', async (is, harm, meaning) => {
  const middle = await transcripts.append(null, [user('one'), user('two')]);
  const head = await transcripts.append(middle, [user('three')]);
  await harm(pathOf(middle));

  const reading = transcripts.read(head);
  await expect(reading).rejects.toThrow(
    `Cannot read conversation ${head}: its part ${middle} is ${is} (${pathOf(middle)}). `,
  );
  await expect(reading).rejects.toThrow(meaning);
});

test('a changed byte anywhere is noticed', async () => {
  const head = await transcripts.append(null, [user('one')]);
  const whole = await readFile(pathOf(head));
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (index, change) => {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(damaged.readUInt8(index) ^ change, index);
      await writeFile(pathOf(head), damaged);
      await expect(transcripts.read(head)).rejects.toThrow('is damaged');
    }),
  );
});

test('writing the same thing again repairs a damaged part', async () => {
  const ref = await transcripts.put('value');
  await writeFile(pathOf(ref), '"val');
  await transcripts.put('value');

  expect(await transcripts.get(ref)).toBe('value');
});

test('a full disk is an error, and leaves no half of a file behind', async () => {
  const writer = start('put-value', [`file:${folder}`, '4000000'], { fileLimit: 1_000 });
  await writer.hear();
  writer.say('go');

  expect(await writer.hear()).toContain(`Cannot write to the transcripts at ${folder}: `);
  expect(await filesIn(folder)).toEqual([]);
});

test('a folder that cannot be written is an error that names it and keeps its cause', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');

  await expect(openFileTranscripts(file).put('value')).rejects.toMatchObject({
    message: expect.stringContaining(`Cannot write to the transcripts at ${file}: `),
    cause: { code: expect.stringMatching(/ENOTDIR|EEXIST/) },
  });
});
