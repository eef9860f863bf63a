import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inline } from '../../src/contracts/content.ts';
import type { LedgerRecord, LedgerStatement } from '../../src/contracts/ledger.ts';
import type { DecideApproval } from '../../src/contracts/messages.ts';
import type { ApprovalQuestion, OutcomeQuestion } from '../../src/contracts/question.ts';
import { acceptApproval } from '../../src/policy/accept-approval.ts';
import { describeRule, fitsRule } from '../../src/policy/fits-rule.ts';
import { foldKey } from '../../src/policy/fold-key.ts';
import { needOf } from '../../src/policy/need-of.ts';
import { recordApproval } from '../../src/policy/record-approval.ts';
import { isSameRule } from '../../src/policy/rule-of-word.ts';
import { personOf } from '../../src/policy/same-person.ts';
import { weighLeave, type Gate } from '../../src/policy/weigh-leave.ts';

const KEY = { namespace: 'default', scope: 'task:t', intent: 'refund:A' };
const CALL = { run: 'r1', execution: 'e1', call: 't1c0', digest: 'd49' };
const SUBJECT = { ...CALL, key: KEY, task: 't', tool: 'refund' };
const GATE: Gate = { because: ['needs an approval'], need: 1, rules: [] };
const NOW = 1_000_000;

const word = (change: Partial<DecideApproval> = {}): DecideApproval => ({
  id: 'd1',
  question: 'q1',
  verdict: 'approve',
  by: 'ann',
  reason: 'looked',
  ...change,
});

function record(statement: LedgerStatement, of: object = {}): LedgerRecord {
  const { digest: _, ...call } = { ...CALL, ...of };
  return { key: KEY, task: 't', ...call, tool: 'refund', generation: 1, at: NOW, counter: 1, ...statement };
}

const decided = (decision: DecideApproval, of: object = {}, digest = 'd49') =>
  record({ is: 'decided', digest, decision }, of);

describe('leave', () => {
  test('nobody need agree: given', () => {
    expect(weighLeave([], CALL, { ...GATE, because: [] })).toEqual({ is: 'given', permits: [] });
  });

  test('a word for this very call and these arguments: given by it', () => {
    expect(weighLeave([decided(word())], CALL, GATE)).toEqual({ is: 'given', permits: ['d1'] });
  });

  test.each([
    ['another call of the run', decided(word(), { call: 't2c0' })],
    ['the same call of another run', decided(word(), { run: 'r2' })],
    ['the same call of an earlier run of the id', decided(word(), { execution: 'e0' })],
    ['the same call with other arguments', decided(word(), {}, 'd900')],
  ])('a word on %s is none', (_, other) => {
    expect(weighLeave([other], CALL, GATE)).toEqual({ is: 'asked', have: [], need: 1, generation: 1 });
  });

  test('denied stays denied, whoever else approves', () => {
    const denial = word({ id: 'd2', by: 'bob', verdict: 'deny' });
    expect(weighLeave([decided(word()), decided(denial)], CALL, GATE)).toEqual({ is: 'denied', decision: denial });
  });

  test('a tool that blocks is not asked about, whoever has agreed', () => {
    expect(weighLeave([decided(word())], CALL, { ...GATE, blocked: 'no more' })).toEqual({
      is: 'blocked',
      message: 'no more',
    });
  });

  test('one person typed in several ways is one', () => {
    const two = { ...GATE, need: 2 };
    const unseen = [
      '\u0000',
      '\u0007',
      '\u0085',
      '\u034f',
      '\u115f',
      '\u200b',
      '\u2800',
      '\u3164',
      '\ufe0f',
      '\u{e0100}',
    ];
    const typed = [
      'ann',
      'Ann',
      ' ann ',
      'a nn',
      'a\tnn',
      'ＡＮＮ',
      ...unseen.flatMap((c) => [`ann${c}`, `${c}a${c}nn`]),
    ];
    const words = typed.map((by, at) => decided(word({ id: `d${at}`, by })));
    for (const one of words) expect(weighLeave([decided(word()), one], CALL, two)).toMatchObject({ is: 'asked' });
    expect(weighLeave(words, CALL, two)).toMatchObject({ is: 'asked' });
    expect(weighLeave([...words, decided(word({ by: 'bob' }))], CALL, two)).toMatchObject({ is: 'given' });
  });

  test('letters that differ, and marks on them, make two people', () => {
    const two = { ...GATE, need: 2 };
    for (const by of ['anna', 'änn', 'anñ', 'ann2', 'an']) {
      expect(weighLeave([decided(word()), decided(word({ by }))], CALL, two)).toMatchObject({ is: 'given' });
    }
  });

  test('a name stays the same however often it is read, composed or not, with whatever unseen within', () => {
    const letters = fc.constantFrom(
      'a',
      'İ',
      'ﬁ',
      'ä',
      '\u0308',
      '\u034f',
      '\u3164',
      '\u2800',
      '\uffa0',
      'ｱ',
      'ﾞ',
      '가',
      '\u11a8',
      'ß',
      'ẞ',
      ' ',
    );
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: letters }), fc.string({ unit: 'binary' })), (name) => {
        const person = personOf(name);
        expect(personOf(person)).toBe(person);
        expect(personOf(name.normalize('NFD'))).toBe(person);
      }),
    );
  });

  test('people are counted by name; a rule is a word of whoever made it', () => {
    const rule = { id: 'r', tool: 'refund', where: {}, by: 'ann', reason: 'always' };
    const two = { ...GATE, need: 2 };
    expect(weighLeave([decided(word()), decided(word({ id: 'd2' }))], CALL, two)).toEqual({
      is: 'asked',
      have: ['ann'],
      need: 2,
      generation: 1,
    });
    expect(weighLeave([decided(word())], CALL, { ...two, rules: [rule] })).toEqual({
      is: 'asked',
      have: ['ann'],
      need: 2,
      generation: 1,
    });
    expect(weighLeave([decided(word({ by: 'bob' }))], CALL, { ...two, rules: [rule] })).toMatchObject({ is: 'given' });
  });
});

describe('a word is recorded', () => {
  const append = (records: readonly LedgerRecord[], decision: DecideApproval, gate = GATE) =>
    recordApproval(records, { ...SUBJECT, gate }, decision, NOW);

  test('once, with the arguments it was given about', () => {
    const { append: written, answer } = append([], word());
    expect(written).toMatchObject([{ is: 'decided', digest: 'd49', call: 't1c0' }]);
    expect(answer).toEqual({ is: 'heard', leave: { is: 'given', permits: ['d1'] } });
  });

  test('the same again changes nothing; otherwise from the same person is told what stands', () => {
    const standing = [decided(word())];
    expect(append(standing, word({ id: 'd2', reason: 'still' }))).toMatchObject({
      append: [],
      answer: { is: 'heard', leave: { is: 'given' } },
    });
    expect(append(standing, word({ id: 'd2', verdict: 'deny' }))).toMatchObject({
      append: [],
      answer: { is: 'stands', why: 'ann approved it: looked.' },
    });
  });

  test('nothing is added once it is decided', () => {
    const after = append([decided(word())], word({ id: 'd2', by: 'bob', verdict: 'deny' }));
    expect(after).toMatchObject({ append: [], answer: { is: 'stands' } });
  });

  test('words move no state of the key: a claim of the next generation is taken as if they were not there', () => {
    const claim = {
      is: 'claimed',
      claim: 'c1',
      schedule: 1,
      holder: 'w',
      sendBy: 1,
      digest: 'd',
      landsWithinMs: 1,
    } as const;
    const records = [
      record({ ...claim, input: inline({}), effect: 'unflagged' }),
      record({ is: 'settled', decision: { ...word(), verdict: 'did-not-happen', settledBy: 'person' } }),
    ];
    const words = [{ ...decided(word()), generation: 9 }, record({ is: 'declined', why: 'no', decision: word() })];
    expect(foldKey([...records, ...words])).toEqual(foldKey(records));
    expect(foldKey(records)).toMatchObject({ is: 'free', generation: 2 });
  });
});

const question: ApprovalQuestion = {
  ...{ id: 'q1', kind: 'approval', run: 'r1', call: 't1c0', tool: 'refund', key: KEY, input: inline({}), since: 1 },
  ...{ digest: 'd49', known: [], because: [], expiresAt: 9, round: 0, generation: 1 },
};
const outcome: OutcomeQuestion = { ...question, id: 'q2', kind: 'outcome', horizon: 1 };

describe('a word that comes in', () => {
  const judge = (message: unknown, heard: readonly DecideApproval[] = []) =>
    acceptApproval(message as DecideApproval, { questions: [question, outcome], heard });

  test.each([
    ['nothing', undefined, 'is a JSON object'],
    ['text', 'yes', 'is a JSON object'],
    ['a name that nobody can read', word({ by: '\u200b\u2800' }), 'a name nobody can read'],
    ['a paste that nobody has filled in', word({ by: '', verdict: '' as never }), 'lacks verdict, by'],
    ['a verdict of another kind', word({ verdict: 'happened' as never }), 'Use one of approve, deny'],
    ['a denial with arguments', word({ verdict: 'deny', input: {} }), 'go with "approve" only'],
    ['arguments that are no object', word({ input: [1] }), 'as a JSON object'],
    ['a rule that is none', word({ remember: true as never }), '"remember" is not'],
    ['edited and remembered', word({ input: {}, remember: { where: {} } }), 'do not go together'],
    ['another digest', word({ digest: 'd900' }), 'it was d49'],
    ['a question about an outcome', word({ question: 'q2' }), 'resolveOutcome'],
    ['a reason without end', word({ reason: 'x'.repeat(5_000) }), 'more than 4000'],
  ])('%s is refused in words', (_, message, words) => {
    expect(judge(message)).toMatchObject({ is: 'refused', why: expect.stringContaining(words) });
  });

  test('fits, is the same again, or contradicts its sender', () => {
    expect(judge(word({ digest: 'd49' }))).toMatchObject({ is: 'accepted' });
    expect(judge(word({ question: 'q9' }))).toEqual({ is: 'early' });
    expect(judge(word({ id: 'd2' }), [word()])).toEqual({ is: 'same' });
    expect(judge(word({ id: 'd2', verdict: 'deny' }), [word()])).toMatchObject({ is: 'refused' });
    expect(judge(word({ id: 'd2', by: 'bob', verdict: 'deny' }), [word()])).toMatchObject({ is: 'accepted' });
  });

  test('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.anything(), (message) => {
        expect(['accepted', 'same', 'early', 'refused']).toContain(judge(message).is);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a remembered approval', () => {
  test.each([
    [{}, { amount: 5 }, true],
    [{ amount: 5 }, { amount: 5, order: 'A' }, true],
    [{ amount: 5 }, { amount: 5.0 }, true],
    [{ amount: 5 }, { amount: '5' }, false],
    [{ amount: 5 }, { order: 'A' }, false],
    [{ to: { b: 1, a: 2 } }, { to: { a: 2, b: 1 } }, true],
    [{ toString: null }, { amount: 5 }, false],
    [{ amount: 5 }, null, false],
    [{ amount: null }, { amount: null }, true],
  ])('where %j of %j: %s', (where, input, fits) => {
    expect(fitsRule({ where: where }, input as never)).toBe(fits);
  });

  test('is the same rule only when all of it is', () => {
    const rule = { id: 'd', tool: 'refund', where: { to: { a: 1, b: 2 } }, by: 'ann', reason: 'small' };
    expect(isSameRule(rule, { ...rule, where: { to: { b: 2, a: 1 } } })).toBe(true);
    for (const change of [{ id: 'e' }, { tool: 'pay' }, { where: {} }, { by: 'bob' }, { reason: 'big' }]) {
      expect(isSameRule(rule, { ...rule, ...change })).toBe(false);
    }
  });

  test('is shown as a rule', () => {
    const rule = { id: 'd', tool: 'refund', where: { amount: 5 }, by: 'ann', reason: 'small' };
    expect(describeRule(rule)).toBe('refund where amount = 5 needs no further approval in this task (ann: small)');
    expect(describeRule({ ...rule, where: {} })).toContain('with any arguments');
  });
});

describe('how many people', () => {
  test.each([
    [undefined, { above: 100 }, 1],
    [{ value: 100 }, { above: 100 }, 1],
    [{ value: 100.01 }, { above: 100 }, 2],
    [{ value: -500 }, { above: 100 }, 2],
    [{ value: NaN }, { above: 100 }, 2],
    [null, { above: 100 }, 2],
    [{ value: 5, currency: 'EUR' }, { above: 100, currency: 'USD' }, 2],
    [{ value: 5, currency: 'USD' }, { above: 100, currency: 'USD' }, 1],
    [{ value: 500 }, undefined, 1],
  ])('%j with %j: %d', (amount, quorum, need) => {
    expect(needOf(amount, quorum)).toBe(need);
  });
});
