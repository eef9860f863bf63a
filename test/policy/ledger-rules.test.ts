import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inline } from '../../src/contracts/content.ts';
import type { Decision, OutcomeVerdict } from '../../src/contracts/decision.ts';
import type { Effect } from '../../src/contracts/effect.ts';
import type { LedgerEntry, LedgerRecord, LedgerStatement } from '../../src/contracts/ledger.ts';
import { admit, type ClaimRequest } from '../../src/policy/admit.ts';
import { askKey } from '../../src/policy/ask-key.ts';
import { foldKey } from '../../src/policy/fold-key.ts';
import { questionOfKey } from '../../src/policy/question-of-claim.ts';
import { settleKey } from '../../src/policy/settle-key.ts';

const KEY = { namespace: 'default', scope: 'task:t', intent: 'refund:A' };
const NOW = 1_000_000;
const SEND_BY = NOW + 30_000;
const AFTER_SEND_BY = SEND_BY + 5_000;

const mine = { run: 'r1', execution: 'e1', call: 't1c0' };
const other = { run: 'r2', execution: 'e2', call: 't1c0' };

function request(effect: Effect, change: Partial<ClaimRequest> = {}): ClaimRequest {
  const times = { sendBy: SEND_BY, landsWithinMs: 600_000, keyValidForMs: undefined, maxAttempts: 4 };
  const input = { input: inline({ amount: 49 }), digest: 'd49', amount: undefined };
  const leave = { gate: { because: [], need: 1, rules: [] }, repeats: undefined, secret: undefined };
  const terms = { signed: false, quorum: undefined };
  return {
    key: KEY,
    task: 't',
    ...mine,
    schedule: 1,
    tool: 'refund',
    effect,
    claim: 'c-new',
    holder: 'w',
    ...times,
    ...input,
    ...leave,
    ...terms,
    ...change,
  };
}

let counter = 0;
function record(statement: LedgerStatement, of = mine, generation = 1): LedgerRecord {
  return { key: KEY, task: 't', ...of, tool: 'refund', generation, at: NOW, counter: ++counter, ...statement };
}

const claimed = (claim: string, effect: Effect = 'unflagged', schedule = 1): LedgerStatement => ({
  is: 'claimed',
  claim,
  schedule,
  holder: 'w',
  sendBy: SEND_BY,
  input: inline({ amount: 49 }),
  digest: 'd49',
  landsWithinMs: 600_000,
  effect,
});
const unknown = (claim: string): LedgerStatement => ({
  is: 'unknown',
  claim,
  failure: { kind: 'timed-out', delivery: 'maybe-sent', message: 'lost' },
});
const done = (claim: string, late = false): LedgerStatement => ({ is: 'done', claim, result: inline('paid'), late });
const later = (claim: string): LedgerStatement => ({
  is: 'not-executed',
  claim,
  proof: '429',
  sent: true,
  definite: false,
});
const refused = (claim: string): LedgerStatement => ({
  is: 'not-executed',
  claim,
  proof: '400',
  sent: true,
  definite: true,
});
const unsent = (claim: string): LedgerStatement => ({
  is: 'not-executed',
  claim,
  proof: 'refused connection',
  sent: false,
  definite: false,
});
const decision = (verdict: OutcomeVerdict, change: Partial<Decision> = {}): Decision => ({
  id: 'd1',
  question: 'q1',
  verdict,
  by: 'ann',
  reason: 'seen',
  settledBy: 'person',
  ...change,
});
const settled = (verdict: OutcomeVerdict): LedgerStatement => ({ is: 'settled', decision: decision(verdict) });

describe('the state of a key', () => {
  test.each<[string, readonly LedgerRecord[], object]>([
    ['nothing', [], { is: 'free', generation: 1 }],
    ['a claim', [record(claimed('a'))], { is: 'open', generation: 1 }],
    ['sight lost', [record(claimed('a')), record(unknown('a'))], { is: 'open' }],
    ['refused for now', [record(claimed('a')), record(later('a'))], { is: 'free', generation: 1 }],
    ['refused for good', [record(claimed('a')), record(refused('a'))], { is: 'free', generation: 2 }],
    ['done', [record(claimed('a')), record(done('a'))], { is: 'done' }],
    [
      'done, then a refusal of a later attempt',
      [record(claimed('a')), record(claimed('b')), record(done('a')), record(later('b'))],
      { is: 'done' },
    ],
    [
      'maybe sent, then refused',
      [record(claimed('a')), record(unknown('a')), record(claimed('b')), record(later('b'))],
      { is: 'open' },
    ],
    ['it happened, says a person', [record(claimed('a')), record(settled('happened'))], { is: 'done' }],
    [
      'it did not, says a person',
      [record(claimed('a')), record(settled('did-not-happen'))],
      { is: 'free', generation: 2 },
    ],
    ['reversed', [record(claimed('a')), record(settled('reversed'))], { is: 'closed' }],
    [
      'a late success after "did not happen"',
      [record(claimed('a')), record(settled('did-not-happen')), record(done('a', true))],
      { is: 'done', contradicts: { is: 'settled' } },
    ],
    [
      'a late success of an older generation',
      [record(claimed('a')), record(settled('did-not-happen')), record(claimed('b'), mine, 2), record(done('a', true))],
      { is: 'done' },
    ],
    ['withdrawn', [record({ is: 'withdrawn', schedule: 1 })], { is: 'free', generation: 1 }],
  ])('%s', (_, records, state) => {
    expect(foldKey(records)).toMatchObject(state);
  });
});

describe('an attempt that asks to act', () => {
  const admission = (records: readonly LedgerRecord[], asked: ClaimRequest, now = NOW) =>
    admit(records, asked, now).answer;

  test.each<[string, readonly LedgerRecord[], ClaimRequest, number, object]>([
    ['a free key', [], request('unflagged'), NOW, { is: 'go', generation: 1, attempt: 1, worst: 'not-sent' }],
    [
      'after a refusal: the same generation, so the same wire key',
      [record(claimed('a')), record(later('a'))],
      request('unflagged'),
      NOW,
      { is: 'go', generation: 1, attempt: 2 },
    ],
    [
      'after a definite refusal: a new generation',
      [record(claimed('a')), record(refused('a'))],
      request('unflagged'),
      NOW,
      { is: 'go', generation: 2, attempt: 1 },
    ],
    [
      'what was never sent is no attempt',
      [record(claimed('a')), record(unsent('a'))],
      request('unflagged'),
      NOW,
      { is: 'go', attempt: 1 },
    ],
    ['own bare claim, inside its time', [record(claimed('a'))], request('unflagged'), NOW, { is: 'wait' }],
    ['own bare claim, past its time', [record(claimed('a'))], request('unflagged'), AFTER_SEND_BY, { is: 'unknown' }],
    [
      'own claim, sight lost',
      [record(claimed('a')), record(unknown('a'))],
      request('unflagged'),
      NOW,
      { is: 'unknown' },
    ],
    ["another's bare claim", [record(claimed('a'), other)], request('unflagged'), NOW, { is: 'wait' }],
    [
      "another's claim, past its time",
      [record(claimed('a'), other)],
      request('by-key'),
      AFTER_SEND_BY,
      { is: 'unknown' },
    ],
    [
      'by key, own maybe-sent claim: again, with the stored arguments',
      [record(claimed('a', 'by-key')), record(unknown('a'))],
      request('by-key', { digest: 'd54', input: inline({ amount: 54.95 }) }),
      NOW,
      { is: 'go', generation: 1, attempt: 2, worst: 'maybe-sent', sameInput: false, input: inline({ amount: 49 }) },
    ],
    [
      "by key, another's claim, inside its time",
      [record(claimed('a', 'by-key'), other)],
      request('by-key'),
      NOW,
      { is: 'wait' },
    ],
    [
      "idempotent, another's claim",
      [record(claimed('a', 'idempotent'), other)],
      request('idempotent'),
      NOW,
      { is: 'go', worst: 'maybe-sent' },
    ],
    [
      'claimed as unflagged, flagged by a deploy since',
      [record(claimed('a', 'unflagged')), record(unknown('a'))],
      request('idempotent'),
      NOW,
      { is: 'unknown' },
    ],
    [
      'done with the same arguments',
      [record(claimed('a')), record(done('a'))],
      request('unflagged'),
      NOW,
      { is: 'recorded', sameInput: true },
    ],
    [
      'done with other arguments',
      [record(claimed('a')), record(done('a'))],
      request('unflagged', { digest: 'd54' }),
      NOW,
      { is: 'recorded', sameInput: false },
    ],
    ['reversed', [record(claimed('a')), record(settled('reversed'))], request('unflagged'), NOW, { is: 'refused' }],
    [
      'this schedule was given up',
      [record({ is: 'withdrawn', schedule: 1 })],
      request('unflagged'),
      NOW,
      { is: 'withdrawn' },
    ],
    [
      'another schedule was given up',
      [record({ is: 'withdrawn', schedule: 1 })],
      request('unflagged', { schedule: 2 }),
      NOW,
      { is: 'go' },
    ],
    [
      'attempts used up',
      [1, 2, 3, 4].flatMap((n) => [record(claimed(`${n}`)), record(later(`${n}`))]),
      request('unflagged'),
      NOW,
      { is: 'spent', worst: 'refused' },
    ],
    [
      "another call's attempts do not count",
      [1, 2, 3, 4].flatMap((n) => [record(claimed(`${n}`), other), record(later(`${n}`), other)]),
      request('unflagged'),
      NOW,
      { is: 'go', attempt: 1 },
    ],
    [
      'a second run under the same id is another call',
      [record(claimed('a'), { ...mine, execution: 'e9' })],
      request('by-key'),
      AFTER_SEND_BY,
      { is: 'unknown' },
    ],
  ])('%s', (_, records, asked, now, expected) => {
    expect(admission(records, asked, now)).toMatchObject(expected);
  });

  const asks = { because: ['needs an approval'], need: 1, rules: [] };
  const agreed = (generation: number) =>
    record(
      {
        is: 'decided',
        digest: 'd49',
        decision: { id: `d${generation}`, question: 'q', verdict: 'approve', by: 'ann', reason: 'looked' },
      },
      mine,
      generation,
    );
  const settledAs = (then: 'retry' | 'tell-model') =>
    record({ is: 'settled', decision: decision('did-not-happen', { then }) });

  test('once and was settled as not having happened asks again: the word is used up with the action', () => {
    const past = [agreed(1), record(claimed('c1')), settledAs('tell-model')];
    const asked = admit(past, request('unflagged', { gate: asks }), AFTER_SEND_BY).answer;
    expect(asked).toMatchObject({ is: 'leave', leave: { is: 'asked', have: [], generation: 2 } });
    const again = admit([...past, agreed(2)], request('unflagged', { gate: asks }), AFTER_SEND_BY).answer;
    expect(again).toMatchObject({ is: 'go', generation: 2 });
  });

  test('once more by order of a person needs no second word, with the arguments that were agreed to', () => {
    const past = [agreed(1), record(claimed('c1')), settledAs('retry')];
    const gate = { gate: asks };
    expect(admit(past, request('unflagged', gate), AFTER_SEND_BY).answer).toMatchObject({ is: 'go', generation: 2 });
    const changed = request('unflagged', { ...gate, digest: 'd900' });
    expect(admit(past, changed, AFTER_SEND_BY).answer).toMatchObject({ is: 'leave', leave: { is: 'asked' } });
  });

  test('claims in the same breath as it may go, and writes nothing otherwise', () => {
    expect(admit([], request('unflagged'), NOW).append).toMatchObject([
      { is: 'claimed', claim: 'c-new', digest: 'd49' },
    ]);
    expect(admit([record(claimed('a'))], request('unflagged'), NOW).append).toEqual([]);
  });
});

describe('a run that lost sight of a schedule and asks', () => {
  const inquiry = (effect: Effect, schedule = 1) => ({
    key: KEY,
    task: 't',
    ...mine,
    schedule,
    tool: 'refund',
    effect,
  });

  test.each<[string, readonly LedgerRecord[], Effect, number, object, readonly string[]]>([
    ['nothing claimed: it never will', [], 'unflagged', NOW, { is: 'never-began' }, ['withdrawn']],
    ['withdrawn before', [record({ is: 'withdrawn', schedule: 1 })], 'unflagged', NOW, { is: 'never-began' }, []],
    ["only another's claim", [record(claimed('a'), other)], 'unflagged', NOW, { is: 'never-began' }, ['withdrawn']],
    ['a bare claim inside its time', [record(claimed('a'))], 'unflagged', NOW, { is: 'wait' }, []],
    ['a bare claim past its time', [record(claimed('a'))], 'unflagged', AFTER_SEND_BY, { is: 'unknown' }, ['unknown']],
    ['sight lost', [record(claimed('a')), record(unknown('a'))], 'unflagged', NOW, { is: 'unknown' }, []],
    ['refused', [record(claimed('a')), record(later('a'))], 'unflagged', NOW, { is: 'again' }, []],
    [
      'a bare claim of a repeatable tool',
      [record(claimed('a', 'by-key'))],
      'by-key',
      AFTER_SEND_BY,
      { is: 'repeatable' },
      [],
    ],
    ['done', [record(claimed('a')), record(done('a'))], 'unflagged', NOW, { is: 'done' }, []],
  ])('%s', (_, records, effect, now, standing, appended) => {
    const { answer, append } = askKey(records, inquiry(effect), now);
    expect(answer).toMatchObject(standing);
    expect(append.map(({ is }) => is)).toEqual(appended);
  });
});

describe('a decision over a key', () => {
  const open = [record(claimed('a')), record(unknown('a'))];

  test.each<[string, readonly LedgerRecord[], Decision, object, number]>([
    ['takes its place', open, decision('happened', { result: 1 }), { is: 'settled' }, 1],
    [
      'the same again is fine',
      [...open, record(settled('happened'))],
      decision('happened', { id: 'd2' }),
      { is: 'settled' },
      0,
    ],
    [
      'another is told what stands',
      [...open, record(settled('happened'))],
      decision('reversed'),
      { is: 'stands', why: expect.stringContaining('ann decided "happened"') },
      0,
    ],
    [
      '"happened", and the news is there already',
      [...open, record(done('a', true))],
      decision('happened'),
      { is: 'known' },
      0,
    ],
    [
      '"did not happen", and the news is there already',
      [...open, record(done('a', true))],
      decision('did-not-happen'),
      { is: 'stands', done: { is: 'done' } },
      0,
    ],
    ['nothing is open', [], decision('happened'), { is: 'stands' }, 0],
  ])('%s', (_, records, decided, answer, written) => {
    const settlement = settleKey(records, decided, { now: NOW });
    expect(settlement.answer).toMatchObject(answer);
    expect(settlement.append).toHaveLength(written);
  });
});

describe('a decision that comes while something is under way', () => {
  const landed = SEND_BY + 600_000;
  const both = [record(claimed('a')), record(unknown('a')), record(claimed('b'), other)];
  const none = decision('did-not-happen', { then: 'retry' });

  test.each<[string, readonly LedgerRecord[], Decision, { now: number; claim?: string }, object]>([
    [
      'about an attempt that has ended',
      [record(claimed('b'), other)],
      none,
      { now: NOW, claim: 'a' },
      { is: 'stands' },
    ],
    [
      '"happened", about an ended one',
      [record(claimed('b'), other)],
      decision('happened'),
      { now: NOW, claim: 'a' },
      { is: 'stands' },
    ],
    [
      'while another attempt may act',
      both,
      none,
      { now: NOW, claim: 'a' },
      { is: 'stands', why: expect.stringContaining('under way') },
    ],
    ['the same, overruled', both, { ...none, override: true }, { now: NOW, claim: 'a' }, { is: 'stands' }],
    ['"reversed", while another may act', both, decision('reversed'), { now: NOW, claim: 'a' }, { is: 'stands' }],
    ['"happened", while another may act', both, decision('happened'), { now: NOW, claim: 'a' }, { is: 'settled' }],
    [
      'while it may still land',
      both.slice(0, 2),
      none,
      { now: landed - 1 },
      { is: 'stands', why: expect.stringContaining('still land') },
    ],
    ['the same, overruled', both.slice(0, 2), { ...none, override: true }, { now: landed - 1 }, { is: 'settled' }],
    [
      'the same, by a look-up',
      both.slice(0, 2),
      { ...none, settledBy: 'confirm' },
      { now: landed - 1 },
      { is: 'stands' },
    ],
    ['once none of them can land', both, none, { now: landed, claim: 'a' }, { is: 'settled' }],
  ])('%s', (_, records, decided, terms, answer) => {
    const settlement = settleKey(records, decided, terms);
    expect(settlement.answer).toMatchObject(answer);
    expect(settlement.append).toHaveLength('is' in answer && answer.is === 'settled' ? 1 : 0);
  });
});

describe('whatever order things come in', () => {
  /** A receiver that acts on every request, and a run that schedules, loses sight, asks and is decided about, at random. */
  const steps = fc.array(
    fc.constantFrom(
      'attempt',
      'attempt by another run',
      'answer',
      'refusal',
      'silence',
      'ask',
      'late news',
      'wait long',
    ),
    { maxLength: 40 },
  );

  test('an unflagged action is sent at most once, unless the receiver refused or a person ordered it', () => {
    fc.assert(
      fc.property(steps, (order) => {
        let records: LedgerRecord[] = [];
        let now = NOW;
        let claims = 0;
        let effects = 0;
        let inFlight: string | undefined;
        const write = (append: readonly LedgerEntry[]) => {
          records = [...records, ...append.map((entry, at) => ({ ...entry, counter: records.length + at + 1 }))];
        };
        for (const step of order) {
          if (step === 'wait long') now += 60_000;
          if (step.startsWith('attempt')) {
            const who = step === 'attempt' ? mine : other;
            const { answer, append } = admit(
              records,
              request('unflagged', {
                ...who,
                claim: `c${++claims}`,
                sendBy: now + 30_000,
                schedule: claims,
                maxAttempts: 99,
              }),
              now,
            );
            write(append);
            if (answer.is !== 'go') continue;
            effects += 1;
            inFlight = `c${claims}`;
          }
          if (step === 'ask')
            write(
              askKey(
                records,
                { key: KEY, task: 't', ...mine, schedule: claims, tool: 'refund', effect: 'unflagged' },
                now,
              ).append,
            );
          const claim = records.findLast((r) => r.is === 'claimed' && r.claim === inFlight);
          if (!inFlight || !claim) continue;
          if (step === 'answer' || step === 'late news') write([{ ...claim, ...done(inFlight) }]);
          if (step === 'silence') write([{ ...claim, ...unknown(inFlight) }]);
          if (step === 'refusal' && foldKey(records).is !== 'done') {
            write([{ ...claim, ...later(inFlight) }]);
            effects -= 1;
          }
          if (step === 'answer' || step === 'refusal') inFlight = undefined;
        }
        expect(effects).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });
});

test('a question read from the ledger alone says what stands there, and of a look-up, which does not, nothing', () => {
  const knownOf = (...records: readonly LedgerRecord[]) => questionOfKey(foldKey(records), AFTER_SEND_BY)?.known;
  const claim = record(claimed('c1'));
  expect(knownOf(claim)).toEqual(['Worker w has not said what happened.', 'Ledger: claimed, no outcome recorded.']);
  expect(knownOf(claim, record(unknown('c1')))).toEqual(['lost', 'Ledger: claimed, no outcome recorded.']);
});
