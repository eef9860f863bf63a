import { describe, expect, test } from '@jest/globals';
import { inline } from '../../src/contracts/content.ts';
import type { AlertReason } from '../../src/contracts/requests.ts';
import { composeAlert } from '../../src/policy/compose-alert.ts';
import { decideCommands } from '../../src/policy/decide-command.ts';
import { approval, outcome } from './question-samples.ts';

const subject = { question: outcome, reason: 'asked', run: outcome.run, task: 'A-1042', agent: 'support' } as const;
const place = { namespace: 'default', place: '', webUi: undefined, at: Date.UTC(2026, 0, 2, 10, 3) };
const compose = (change: object = {}, where: object = {}) =>
  composeAlert({ ...subject, ...change }, { ...place, ...where });

describe('an alert', () => {
  test('tells of an unknown outcome all that is needed to settle it', () => {
    expect(compose({}, { webUi: 'http://127.0.0.1:8233/' })).toEqual({
      id: expect.stringMatching(/^alert_[a-z0-9]{13}$/),
      type: 'holdfast.question.asked',
      at: '2026-01-02T10:03:00.000Z',
      data: {
        question: {
          id: 'qabcdef',
          kind: 'outcome',
          tool: 'refund',
          intent: 'refund:A-1042',
          amount: { value: 49, currency: 'USD' },
          arguments: { is: 'whole', value: { orderId: 'A-1042', amount: 49 } },
          digest: '0123456789abcdef',
          since: '2026-01-02T10:02:44.000Z',
          horizon: '2026-01-02T10:12:44.000Z',
        },
        evidence: ['No answer in 30 s.', 'Ledger: claimed, no outcome recorded.'],
        run: 'refund-A-1042',
        task: 'A-1042',
        agent: 'support',
        commands: ['npx holdfast resolve qabcdef VERDICT --reason "…" --run refund-A-1042'],
        link: 'http://127.0.0.1:8233/namespaces/default/workflows/refund-A-1042',
        text: 'refund may or may not have happened ($49.00): refund:A-1042. Question qabcdef, run refund-A-1042, agent support.',
      },
    });
  });

  test('tells of an approval why somebody must agree, and who has', () => {
    const { data } = compose({ question: approval });
    expect(data.question).toMatchObject({ expiresAt: '2026-01-09T10:02:44.000Z', need: 2, have: ['anna'] });
    expect(data.question).not.toHaveProperty('horizon');
    expect(data.because).toEqual(['needsApproval: production']);
    expect(data.commands.map((line) => line.slice(0, 28))).toEqual([
      'npx holdfast approve qghjkmn',
      'npx holdfast deny qghjkmn --',
    ]);
    expect(data.text).toContain('refund waits for approval');
  });

  test.each<[AlertReason, string]>([
    ['asked', 'refund may'],
    ['reminder', 'Still open: refund may'],
    ['escalation', 'Nobody has answered: refund may'],
  ])('says why it is sent: %s', (reason, begins) => {
    const { type, data } = compose({ reason });
    expect(type).toBe(`holdfast.question.${reason}`);
    expect(data.text.startsWith(begins)).toBe(true);
  });

  test('has one id for one piece of news, whenever it is sent', () => {
    const { id } = compose();
    expect(compose({}, { at: place.at + 60_000 }).id).toBe(id);
    const others = [
      compose({ reason: 'reminder' }),
      compose({ question: { ...outcome, id: 'qzzzzzz' } }),
      compose({ run: 'another' }),
      compose({}, { namespace: 'prod' }),
    ].map((alert) => alert.id);
    expect(new Set([id, ...others]).size).toBe(5);
  });

  test('shows 2 KB of arguments at most, and no half of a letter', () => {
    const shown = (input: unknown) => compose({ question: { ...outcome, input } }).data.question.arguments;
    const fits = { text: 'x'.repeat(2_048 - '{"text":""}'.length) };
    expect(shown(inline(fits))).toEqual({ is: 'whole', value: fits });
    const cut = shown(inline({ text: `${'x'.repeat(2_048 - '{"text":"'.length - 1)}€` }));
    expect(cut).toMatchObject({ is: 'cut', sizeBytes: 2_052 });
    expect(cut).toMatchObject({ text: expect.stringMatching(/^\{"text":"x+$/) });
    expect(shown({ is: 'stored', ref: 'abc', sizeBytes: 90_000 })).toEqual({ is: 'stored', sizeBytes: 90_000 });
  });

  test('stays small and on its lines, whatever the words in it', () => {
    const long = 'a\nb\u202Ec\u0000'.repeat(10_000);
    const known = Array.from({ length: 1_000 }, () => long);
    const question = { ...outcome, known, key: { ...outcome.key, intent: long } };
    const { data } = compose({ question });
    expect(JSON.stringify(data).length).toBeLessThan(16_000);
    expect(data.evidence.join('') + data.text + data.question.intent).not.toMatch(/[\n\u202E\u0000]/);
  });

  test('says that an amount could not be told', () => {
    expect(compose({ question: { ...outcome, amount: null } }).data).toMatchObject({
      question: { amount: null },
      text: expect.stringContaining('(not known)'),
    });
  });
});

describe('the commands that answer a question', () => {
  test('lead to the run, whatever its name, and to its data', () => {
    expect(decideCommands({ ...outcome, run: `it's a run; rm -rf /` }, '--data /srv/hold')).toEqual([
      `npx holdfast resolve qabcdef VERDICT --reason "…" --run 'it'\\''s a run; rm -rf /' --data /srv/hold`,
    ]);
  });
});
