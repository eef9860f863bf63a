import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Fixture } from '../fixtures-rig/fixture.ts';
import { loadFixtures } from '../fixtures-rig/load-fixtures.ts';
import { runFixtures } from '../fixtures-rig/run-fixtures.ts';

describe.each(['provider-failures', 'own'])('every failure of test/fixtures/%s', (folder) => {
  test('is what its case says, through the real packages and sockets', async () => {
    const verdicts = await runFixtures(await loadFixtures(`test/fixtures/${folder}`, '!mcp-*'));
    expect(verdicts.length).toBeGreaterThan(90);
    expect(verdicts.filter(({ disagreements }) => disagreements.length > 0)).toEqual([]);
  });
});

describe('the rig', () => {
  const CASE: Fixture = {
    name: 'a-case',
    provider: 'openai-chat',
    call: 'generate',
    response: { status: 500, headers: { 'content-type': 'application/json' }, body: { error: { message: 'no' } } },
    expect: { class: 'transient', reason: 'server', retry: true, wait: { source: 'backoff' }, note: 'for people' },
  };
  const run = async (fixture: Fixture) => (await runFixtures([fixture]))[0]?.disagreements;

  test('says nothing about a case that is met, and does not compare what is for people', async () => {
    expect(await run(CASE)).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a class', { class: 'permanent' }, 'class: "transient", not "permanent"'],
    ['a wait', { wait: { source: 'server', ms: 5, from: 'retry-after' } }, 'wait: {"source":"backoff"}, not'],
    ['a field we have no word for', { mood: 'bad' }, 'mood: undefined, not "bad"'],
  ])('names a disagreement about %s', async (_what, wanted, line) => {
    const disagreements = await run({ ...CASE, expect: { ...CASE.expect, ...wanted } });
    expect(disagreements).toEqual([expect.stringContaining(line)]);
  });

  test.each(['mcp', 'nobody'])('fails a case of %s, for which nothing here speaks', async (provider) => {
    expect(await run({ ...CASE, provider })).toEqual([expect.stringContaining('could not be run')]);
  });

  test('refuses a folder in which nothing is left to run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-fixtures-'));
    await writeFile(join(folder, 'a-case.json'), JSON.stringify(CASE));
    await expect(loadFixtures(folder, 'b-*')).rejects.toThrow('None of its 1 names fits b-*');
    expect(await loadFixtures(folder, 'a-*')).toHaveLength(1);
    await writeFile(join(folder, 'b-case.json'), '{}');
    await expect(loadFixtures(folder)).rejects.toThrow('is no case');
    await rm(folder, { recursive: true });
  });
});
