import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { faultsOfFixture } from '../fixtures-rig/check-fixture.ts';
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
    await rm(folder, { recursive: true });
  });

  test('gives every file a verdict, the unreadable ones by their names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-fixtures-'));
    const texts = { 'a-case': JSON.stringify(CASE), broken: '{"name": ', nothing: 'null', list: '[]', empty: '' };
    for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, `${name}.json`), text);
    await mkdir(join(folder, 'folder.json'));
    const told: string[] = [];
    const verdicts = await runFixtures(await loadFixtures(folder), ({ name }) => told.push(name));
    await rm(folder, { recursive: true });
    expect([...told].sort()).toEqual(verdicts.map(({ name }) => name).sort());
    expect(Object.fromEntries(verdicts.map(({ name, disagreements }) => [name, disagreements]))).toEqual({
      'a-case': [],
      'broken.json': [expect.stringMatching(/^cannot be read: .*JSON/)],
      'empty.json': [expect.stringMatching(/^cannot be read: .*JSON/)],
      'folder.json': [expect.stringMatching(/^cannot be read: EISDIR/)],
      'list.json': ['the case: [] is not an object.'],
      'nothing.json': ['the case: null is not an object.'],
    });
  });

  test.each<[string, object, string]>([
    ['a field', { mood: 1 }, 'mood: nobody knows this field.'],
    ['a field that every object has', JSON.parse('{"__proto__": 1}') as object, '__proto__: nobody knows this field.'],
    ['a missing field', { expect: undefined }, 'expect: is missing.'],
    ['an expectation of nothing', { expect: {} }, 'expect: nothing to compare.'],
    ['an expectation for people only', { expect: { note: 'x' } }, 'expect: nothing to compare.'],
    ['a field of what is expected', { expect: { mood: 1 } }, 'expect.mood: nobody knows this field.'],
    ['a class', { expect: { class: 'bad' } }, 'expect.class: "bad" is not one of'],
    ['a wait', { expect: { wait: { source: 'sky' } } }, 'expect.wait.source: "sky" is not one of'],
    ['a provider', { provider: 'nobody' }, 'provider: "nobody" is not a provider here.'],
    ['a call', { call: 'shout' }, 'call: "shout" is none of openai-chat. Use generate or stream.'],
    ['a call of another provider', { call: 'get' }, 'call: "get" is none of openai-chat.'],
    ['a fault', { fault: { kind: 'flood' } }, 'fault.kind: "flood" is not one of'],
    ['a fault without a kind', { fault: {} }, 'fault.kind: is missing.'],
    ['a limit', { client: { patienceMs: 5 } }, 'client.patienceMs: nobody knows this field.'],
    ['an end', { response: { end: 'bang' } }, 'response.end: "bang" is not one of'],
    ['a field of an answer', { response: { stauts: 500 } }, 'response.stauts: nobody knows this field.'],
    ['a status', { response: { status: '500' } }, 'response.status: "500" is not an HTTP status.'],
    ['a header', { response: { headers: { a: 1 } } }, 'response.headers.a: 1 is not a text.'],
    ['a piece of a stream', { response: { sse: [{ dada: 1 }] } }, 'response.sse[0].dada: nobody knows this field.'],
    ['one answer of several', { responses: [{}, { end: 'x' }], response: undefined }, 'responses[1].end: "x"'],
    ['no answer of several', { responses: [], response: undefined }, 'responses: an empty list.'],
    ['two kinds of answers', { responses: [{}] }, 'response and responses: give one of them.'],
    ['no answer at all', { response: undefined }, 'response: no answer and no fault.'],
    ['a clock', { now: 'today' }, 'now: "today" is not a time like'],
    ['a day that is none', { now: '2026-02-30T00:00:00Z' }, 'now: "2026-02-30T00:00:00Z" is not a time like'],
    ['a date that is expected', { expect: { resetsAt: 'soon' } }, 'expect.resetsAt: "soon" is not a time like'],
    ['tools', { tools: 'get_weather' }, 'tools: "get_weather" is not a list.'],
    ['a flag of a tool', { tool: { name: 't', redaOnly: true } }, 'tool.redaOnly: nobody knows this field.'],
    ['what a tool did', { outcome: { explodes: true } }, 'outcome.explodes: nobody knows this field.'],
    ['no tool', { provider: 'tool', call: 'execute' }, 'tool: a case of a tool needs one.'],
  ])('refuses %s by name', (_what, change, fault) => {
    const merged = { ...CASE, ...change };
    if ('__proto__' in change && Object.hasOwn(change, '__proto__'))
      Object.defineProperty(merged, '__proto__', { value: 1, enumerable: true });
    const faults = faultsOfFixture(JSON.parse(JSON.stringify(merged)));
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });

  test('a case has the name of its file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-fixtures-'));
    await writeFile(join(folder, 'other.json'), JSON.stringify(CASE));
    const [verdict] = await runFixtures(await loadFixtures(folder));
    await rm(folder, { recursive: true });
    expect(verdict).toEqual({
      name: 'other.json',
      disagreements: ['name: it is "a-case", and that of its file "other".'],
    });
  });
});

describe('npm run fixtures', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/fixtures.ts', ...args], { encoding: 'utf8', timeout: 60_000 });

  test.each([
    [['test/fixtures/own', 'test/fixtures/provider-failures'], 'One folder at a time: what is test/fixtures/prov'],
    [['--only', 'a-*', '--only', 'b-*'], 'One --only at a time: what is b-*?'],
    [['--olny', 'a-*'], "Unknown option '--olny'"],
  ])('refuses %p, and says how it is used', (args, why) => {
    const { status, stdout } = run(...args);
    expect(stdout).toContain(why);
    expect(stdout).toContain('Usage: npm run fixtures');
    expect(stdout.trim().split('\n').at(-1)).toBe('0 passed, 1 failed');
    expect(status).toBe(2);
  });
});
