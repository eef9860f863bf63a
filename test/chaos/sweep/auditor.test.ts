import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import {
  arrival,
  claimed,
  completed,
  effect,
  record,
  settled,
  shown,
  SOUND,
  wireKey,
  withEvidence,
  type Evidence,
} from './forged-evidence.ts';

const AUDITOR = fileURLToPath(new URL('./auditor.ts', import.meta.url));

interface Verdict {
  readonly hits: number;
  readonly broken: number;
  readonly lost: number;
  readonly effectsTwice: number;
  readonly naive: { readonly effectsTwice: number };
  readonly findings: readonly { readonly invariant: string; readonly what: string }[];
}

/** Runs the auditor as the sweep does. */
function judge(change: Partial<Evidence>): Promise<{ readonly code: number; readonly verdict: Verdict }> {
  return withEvidence({ ...SOUND, ...change }, (folder) => {
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [AUDITOR, folder], (_error, stdout) => {
        resolve({ code: child.exitCode ?? -1, verdict: JSON.parse(stdout) as Verdict });
      });
    });
  });
}

const [claim, unknown] = SOUND.records as [Evidence['records'][0], Evidence['records'][0]];
const truth = SOUND.said[0] ?? {};
const DID_NOT = { id: 'q1-did-not', verdict: 'did-not-happen', then: 'retry' };
const approving = { ...SOUND.planned, boundary: 'b12p' };
const approval = (counter: number, more = {}) =>
  record(counter, 'decided', { digest: 'd1d1d1d1d1d1d1d1ffff', decision: { id: 'a1', verdict: 'approve' }, ...more });

test('sound evidence: nothing is broken, the case is a hit, the naive loop is seen', async () => {
  const { code, verdict } = await judge({});
  expect(verdict).toMatchObject({
    hits: 1,
    broken: 0,
    lost: 0,
    effectsTwice: 0,
    naive: { effectsTwice: 1 },
    findings: [],
  });
  expect(code).toBe(0);
});

const SPOILED: readonly (readonly [invariant: string, story: string, change: Partial<Evidence>])[] = [
  ['I1', 'an effect more than was ordered', { effects: [effect(1_150), effect(1_160)] }],
  ['I1', 'a request more than was ordered, of an unflagged tool', { arrivals: [arrival(1_100), arrival(1_200)] }],
  ['I1', 'two bodies under one key', { arrivals: [arrival(1_100), arrival(1_200, wireKey(), { cents: 1 })] }],
  ['I1', 'a request of a worker that was woken', { outcome: { ...SOUND.outcome, wokenAt: 1_050 } }],
  ['I2', 'no effect, and the run says that it is done', { effects: [] }],
  ['I2', 'an effect of another amount', { effects: [effect(1_150, { cents: 5_495 })] }],
  ['I2', 'the model was told that it failed', { history: [completed([{ status: 'failed' }])] }],
  ['I4', 'no word on a claim without an outcome', { records: [claim, settled(2)] }],
  ['I4', 'two words on one claim', { records: [claim, unknown, record(3, 'unknown', { claim: 'c1' }), settled(4)] }],
  ['I4', 'another claim while the outcome is open', { records: [claim, unknown, claimed(3), settled(4)] }],
  [
    'I4',
    'a claim after its schedule was withdrawn',
    { records: [record(1, 'withdrawn', { schedule: 1 }), claimed(2)] },
  ],
  [
    'I4',
    'unknown after done',
    { records: [claim, record(2, 'done', { claim: 'c1' }), record(3, 'unknown', { claim: 'c1' })] },
  ],
  ['I4', 'an end with an open outcome', { records: [claim, unknown] }],
  ['I5', 'one question settled twice', { records: [claim, unknown, settled(3), settled(4)] }],
  ['I5', 'accepted and not applied', { said: [{ ...truth, id: 'q1-other' }, truth] }],
  ['I5', 'applied although it was refused', { said: [{ ...truth, answer: { is: 'refused' } }] }],
  ['I5', 'a wrong digest accepted', { said: [truth, { ...truth, as: 'wrong-digest', id: 'x' }] }],
  ['I5', 'applied to other arguments', { records: [claim, unknown, settled(3, { digest: 'eeee' })] }],
  [
    'I5',
    '"did not happen" while it might still land',
    { records: [claim, unknown, { ...settled(3, DID_NOT), at: 1_900 }] },
  ],
  ['I5', 'a claim without leave', { planned: approving }],
  [
    'I5',
    'leave that was given for another call',
    { planned: approving, records: [approval(1, { call: 't9' }), claimed(2, { permits: ['a1'] })] },
  ],
  ['I7', 'a counter with a gap', { before: [], records: [claim, unknown, settled(4)] }],
  ['I7', 'a record that changed', { before: [{ ...claim, at: 999 }] }],
  ['I7', 'a record that is gone', { before: [claim, { ...unknown, counter: 9 }] }],
  ['I8', 'a request before its claim', { arrivals: [arrival(900)] }],
  ['I8', 'a request under a key of nobody', { arrivals: [arrival(1_100, 'f'.repeat(32))] }],
  ['I8', 'a claim of which no server saw a request', { arrivals: [] }],
  [
    'I8',
    'the next generation under the old key',
    {
      records: [claim, unknown, settled(3, DID_NOT), claimed(4, { generation: 2 })],
      arrivals: [arrival(4_100)],
    },
  ],
];

describe('spoiled evidence', () => {
  test.each(SPOILED)('%s: %s', async (invariant, _story, change) => {
    const { code, verdict } = await judge(change);
    expect(verdict.findings.map((finding) => finding.invariant)).toContain(invariant);
    expect(code).toBe(verdict.broken);
  });
});

describe('lost runs', () => {
  test.each([
    ['accepted, and nothing more', [{ eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED' }], 1],
    ['failed as a workflow', [shown('waiting'), { eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_FAILED' }], 1],
    ['shows that it runs, and never ends', [shown('running'), { eventType: 'EVENT_TYPE_TIMER_STARTED' }], 1],
    ['shows that it waits', [shown('waiting'), { eventType: 'EVENT_TYPE_TIMER_STARTED' }], 0],
  ])('%s', async (_story, history, lost) => {
    expect((await judge({ history })).verdict.lost).toBe(lost);
  });

  test.each([
    ['never reached', { id: 'forged', acceptedAt: 1, struckAt: 2, how: 'SIGKILL' }],
    ['never struck', { id: 'forged', acceptedAt: 1, reachedAt: 2 }],
    ['struck otherwise', { ...SOUND.outcome, how: 'SIGTERM' }],
  ])('a boundary that was %s is no hit', async (_how, outcome) => {
    expect((await judge({ outcome })).verdict.hits).toBe(0);
  });
});

test('the auditor imports nothing but what Node brings', async () => {
  const imports = [...(await readFile(AUDITOR, 'utf8')).matchAll(/from '([^']+)'|import\('([^']+)'/g)];
  expect(imports.map(([, name, dynamic]) => name ?? dynamic).filter((name) => !name?.startsWith('node:'))).toEqual([]);
});
