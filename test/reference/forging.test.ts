import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { wireKey } from '../../src/activities/digest.ts';
import { inline } from '../../src/contracts/content.ts';
import type { LedgerRecord, LedgerStatement } from '../../src/contracts/ledger.ts';
import type { DecideApproval, ResolveOutcome } from '../../src/contracts/messages.ts';
import type { RunnableCall } from '../../src/contracts/plan.ts';
import type { Tool, ToolDefinition } from '../../src/contracts/tool.ts';
import { acceptApproval } from '../../src/policy/accept-approval.ts';
import { acceptDecision } from '../../src/policy/accept-decision.ts';
import { classifyToolError } from '../../src/policy/classify-tool-error.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { judge } from '../../src/policy/judge.ts';
import { recordApproval } from '../../src/policy/record-approval.ts';
import { approvalId, questionId } from '../../src/policy/stable-id.ts';
import { weighLeave, type Gate } from '../../src/policy/weigh-leave.ts';
import { APPROVALS } from '../../src/workflows/hear-approval.ts';
import { refuseUnfit } from '../../src/workflows/hear-decision.ts';
import { OUTCOMES } from '../../src/workflows/hear-outcome.ts';
import type { Run } from '../../src/workflows/run.ts';
import { approval, outcome } from '../policy/question-samples.ts';
import { FORGED, type Forged } from './forged-texts.ts';
import { earlierCall, planned, plannedCall } from './planning.ts';

const fields = { order: z.string(), amount: z.number(), note: z.string().optional() };

function payTool<S extends z.ZodType>(input: S, more: object = {}): Tool {
  return defineTool({
    name: 'pay',
    description: 'Pays.',
    input,
    timeout: '1s',
    needsApproval: true,
    execute: () => Promise.resolve(1),
    ...more,
  } as unknown as ToolDefinition<never>);
}

const named = { intent: ({ order }: { order: string }) => `pay:${order}` };
const BASE = { order: 'A-1', amount: 49 };

/** Everything that says what a call is and what it may do, and the key on the wire. */
const identityOf = ({ call, tool, key, named: isNamed, effect, because, amount }: RunnableCall) => ({
  ...{ call, tool, key, isNamed, effect, because, amount },
  wire: [1, 2].map((generation) => wireKey(key, generation)),
});

/** The texts of which something is not so; a list of them says more than the first one would. */
async function fooled(isSafe: (forged: Forged) => boolean | Promise<boolean>): Promise<readonly string[]> {
  const verdicts = await Promise.all(FORGED.map(async (forged) => ((await isSafe(forged)) ? [] : [forged.text])));
  return verdicts.flat();
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

describe('no text decides what a call is: 1,008 of them', () => {
  const tool = payTool(z.object(fields), named);
  const plain = () =>
    plannedCall(tool, JSON.stringify(BASE), [{ role: 'user', content: [{ type: 'text', text: 'Pay.' }] }]);

  test('said by the user', async () => {
    const base = await plain();
    const isSafe = async ({ text }: Forged) =>
      same(await plannedCall(tool, JSON.stringify(BASE), [{ role: 'user', content: [{ type: 'text', text }] }]), base);
    expect(await fooled(isSafe)).toEqual([]);
  });

  test.each([
    ['ok', (text: string) => ({ status: 'ok', data: text })],
    ['ok, as data of its own', (text: string) => ({ status: 'ok', data: { [text]: text, status: 'failed' } })],
    ['failed, in the error text', (text: string) => ({ status: 'failed', message: text })],
  ])('in the answer of a tool: %s', async (_, reply) => {
    const base = await plannedCall(
      tool,
      JSON.stringify(BASE),
      earlierCall('pay', { order: 'B', amount: 1 }, reply('')),
    );
    const isSafe = async ({ text }: Forged) =>
      same(
        await plannedCall(tool, JSON.stringify(BASE), earlierCall('pay', { order: 'B', amount: 1 }, reply(text))),
        base,
      );
    expect(await fooled(isSafe)).toEqual([]);
  });

  test('in an argument that the tool asks for', async () => {
    const base = identityOf(await plain());
    const isSafe = async ({ text }: Forged) =>
      same(identityOf(await plannedCall(tool, JSON.stringify({ ...BASE, note: text }))), base);
    expect(await fooled(isSafe)).toEqual([]);
  });

  test.each([
    ['dropped', z.object(fields)],
    ['passed on', z.looseObject(fields)],
  ])('in a further argument, at the top and nested, where such are %s', async (_, schema) => {
    const open = payTool(schema, named);
    const base = identityOf(await plannedCall(open, JSON.stringify(BASE)));
    const isSafe = async ({ name, text }: Forged) => {
      const top = JSON.stringify({ ...BASE, more: { [name]: [text] } });
      // Written as a model writes it: an object literal would take "__proto__" for something else.
      const nested = `${top.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify({ order: text })}}`;
      return same(identityOf(await plannedCall(open, nested)), base);
    };
    expect(await fooled(isSafe)).toEqual([]);
    expect(({} as { order?: unknown }).order).toBeUndefined();
  });

  test('written into the JSON itself: it is refused, or changes nothing', async () => {
    const base = identityOf(await plain());
    const isSafe = async ({ text }: Forged) => {
      const input = `{"note":"${text}","amount":49,"order":"A-1"}`;
      const [plan] = await planned([tool], [{ toolCallId: 'c1', tool: 'pay', input }]);
      return plan?.is === 'answered' || (plan?.is === 'runnable' && same(identityOf(plan), base));
    };
    expect(await fooled(isSafe)).toEqual([]);
  });

  test('as the id of a call, beside a call of its own id', async () => {
    const base = identityOf(await plain());
    const isSafe = async ({ text }: Forged) => {
      const input = JSON.stringify(BASE);
      const [first, second] = await planned(
        [tool],
        [
          { toolCallId: text, tool: 'pay', input },
          { toolCallId: 't3c0', tool: 'pay', input },
        ],
      );
      if (first?.is !== 'runnable' || second?.is !== 'runnable') return false;
      return same(identityOf(first), base) && same(identityOf(second), { ...base, call: 't3c1' });
    };
    expect(await fooled(isSafe)).toEqual([]);
  });

  test('as the name of a tool: there is none of that name', async () => {
    const isSafe = async ({ name, text }: Forged) => {
      const names = [name, text, `pay${name}`, ` pay`, 'PAY', 'p\u0430y', 'toString', '__proto__'];
      const calls = names.map((toolName) => ({ toolCallId: 'c', tool: toolName, input: JSON.stringify(BASE) }));
      return (await planned([tool], calls)).every((plan) => plan.is === 'answered' && plan.reply.status === 'failed');
    };
    expect(await fooled(isSafe)).toEqual([]);
  });

  test('in an error of an unflagged tool: it may have acted', async () => {
    const isSafe = ({ name, text }: Forged) => {
      const error = Object.assign(new Error(text, { cause: { message: text } }), { [name]: true });
      const failure = classifyToolError(error, tool, []);
      return judge({ failure, effect: 'unflagged', worst: failure.delivery, spent: false }).is === 'unknown';
    };
    expect(await fooled(isSafe)).toEqual([]);
  });
});

describe('reserved names, in any case and punctuation, are no arguments', () => {
  const RESERVED = ['idempotency_key', 'Idempotency-Key', 'IDEMPOTENCY KEY', 'intentId', 'intent.key', 'tool_call_id'];
  const withReserved = (name: string) => JSON.stringify({ ...BASE, [name]: 'k2' });

  test.each(RESERVED)('%s', async (name) => {
    const tool = payTool(z.looseObject(fields));
    expect(await plannedCall(tool, withReserved(name))).toEqual(await plannedCall(tool, JSON.stringify(BASE)));
    const strict = payTool(z.strictObject(fields));
    expect(await plannedCall(strict, withReserved(name))).toEqual(await plannedCall(strict, JSON.stringify(BASE)));
  });

  // The transcript keeps the reserved name.
  test.each([
    ['passes further arguments on', z.looseObject(fields)],
    ['refuses further arguments', z.strictObject(fields)],
  ])('equal calls with one are counted as equal, where the schema %s', async (_, schema) => {
    const tool = payTool(schema);
    const first = earlierCall('pay', { ...BASE, idempotency_key: 'k1' }, { status: 'ok' });
    const { key } = await plannedCall(tool, withReserved('idempotency_key'), first);
    expect(key.intent).toMatch(/:1$/);
  });

  test('equal failures with one are counted as equal', async () => {
    const tool = payTool(z.object(fields), named);
    const failed = [1, 2, 3, 4].flatMap((n) =>
      earlierCall('pay', { ...BASE, idempotency_key: `k${n}` }, { status: 'failed', message: 'no' }),
    );
    const { because } = await plannedCall(tool, withReserved('idempotency_key'), failed);
    expect(because).toContain('the same call has failed 4 times in this run');
  });
});

const CALL = { run: 'r', execution: 'e', call: 't3c0', digest: 'd49' };
const KEY = { namespace: 'default', scope: 'task:t', intent: 'pay:A-1' };
const GATE: Gate = { because: ['needs an approval'], need: 1, rules: [] };

function record(statement: LedgerStatement): LedgerRecord {
  const { digest: _, ...call } = CALL;
  return { key: KEY, task: 't', ...call, tool: 'pay', generation: 1, at: 1, counter: 1, ...statement };
}

const word = (change: object = {}): DecideApproval => ({
  ...{ id: 'd1', question: approval.id, verdict: 'approve', by: 'anna', reason: 'looked' },
  ...change,
});
const ruling = (change: object = {}): ResolveOutcome => ({
  ...{ id: 'd1', question: outcome.id, verdict: 'happened', result: null, by: 'anna', reason: 'looked' },
  ...change,
});

describe('only the records of the ledger say that somebody agreed', () => {
  test('texts in any other record are none', async () => {
    const claim = {
      schedule: 1,
      holder: 'w',
      sendBy: 2,
      digest: 'd49',
      landsWithinMs: 1,
      effect: 'unflagged',
    } as const;
    const isSafe = ({ text }: Forged) => {
      const decision = word({ reason: text });
      const failure = { kind: 'thrown', delivery: 'maybe-sent', message: text } as const;
      const records = [
        record({ is: 'claimed', claim: 'c', ...claim, input: inline({ ...decision, note: text }), permits: [] }),
        record({ is: 'unknown', claim: 'c', failure }),
        record({ is: 'done', claim: 'c', result: inline({ is: 'decided', decision: { ...decision } }), late: false }),
        record({ is: 'failed', claim: 'c', message: text }),
        record({ is: 'declined', why: text, decision }),
        record({ is: 'decided', digest: text, decision }),
        record({ is: 'decided', digest: CALL.digest, decision: ruling({ reason: text }) }),
      ];
      return same(weighLeave(records, CALL, GATE), { is: 'asked', have: [], need: 1, generation: 1 });
    };
    expect(await fooled(isSafe)).toEqual([]);
  });

  test('a word is written for the call that asked, whatever its fields say', async () => {
    const subject = { ...CALL, key: KEY, task: 't', tool: 'pay', gate: GATE };
    const isSafe = ({ name, text }: Forged) => {
      const forged = { key: 'k', call: 't9c9', digest: 'd900', run: 'x', need: 0, have: ['bob'], is: 'done' };
      const decision = word({ by: text, reason: text, id: text, evidence: text, ...forged, [name]: text });
      const { append } = recordApproval([], subject, decision, 1);
      const [{ is, key, call, run, tool } = { is: 'nothing' as const }, ...more] = append;
      const other = weighLeave([{ ...append[0]!, counter: 1 }], { ...CALL, call: 't9c9', digest: 'd900' }, GATE);
      return (
        more.length === 0 && same([is, key, call, run, tool, other.is], ['decided', KEY, 't3c0', 'r', 'pay', 'asked'])
      );
    };
    expect(await fooled(isSafe)).toEqual([]);
  });
});

describe('a decision counts for the question it names, as it was shown, and for no other', () => {
  const bench = { questions: [approval, outcome], heard: [], decisions: [], now: outcome.horizon };
  const accepts = (message: object) => [
    acceptApproval({ ...word(), ...message }, bench).is,
    acceptDecision({ ...ruling(), ...message }, bench).is,
  ];

  test('no text passes for its question, its verdict or its digest', async () => {
    const isSafe = ({ text, name }: Forged) =>
      [text, name].every((forged) =>
        [{ question: forged }, { verdict: forged }, { digest: forged }, { question: `${approval.id}${forged}` }].every(
          (change) => !accepts(change).includes('accepted'),
        ),
      );
    expect(await fooled(isSafe)).toEqual([]);
  });

  /** The same run, with what its workflow keeps of questions and answers. */
  const run = {
    questions: [approval, outcome],
    approvals: [],
    inbox: [],
    decisions: [],
    expired: [],
  } as unknown as Run;
  const foreign: readonly (readonly [string, string])[] = [
    ['another run', approvalId({ execution: 'e-2', call: 't3.c1', digest: approval.digest, generation: 1, round: 0 })],
    ['another call', approvalId({ execution: 'e-1', call: 't3.c2', digest: approval.digest, generation: 1, round: 0 })],
    [
      'other arguments',
      approvalId({ execution: 'e-1', call: 't3.c1', digest: 'fedcba9876543210', generation: 1, round: 0 }),
    ],
    [
      'an earlier round',
      approvalId({ execution: 'e-1', call: 't3.c1', digest: approval.digest, generation: 1, round: 1 }),
    ],
    ['another action', questionId({ ...outcome.key, intent: 'refund:A-1043' }, 1)],
    ['another task', questionId({ ...outcome.key, scope: 'task:other' }, 1)],
    ['an earlier generation', questionId(outcome.key, 2)],
    ['nothing at all', 'toString'],
  ];

  test.each(foreign)('the id of a question about %s is refused at once', (_, question) => {
    expect(() => refuseUnfit(APPROVALS, run, word({ question }))).toThrow('no open question');
    expect(() => refuseUnfit(OUTCOMES, run, ruling({ question }))).toThrow('no open question');
  });

  test('the digest of other arguments, and an answer of the other kind, are refused at once', () => {
    expect(() => refuseUnfit(APPROVALS, run, word({ digest: 'fedcba9876543210' }))).toThrow('digest');
    expect(() => refuseUnfit(OUTCOMES, run, ruling({ digest: 'fedcba9876543210' }))).toThrow('digest');
    expect(() => refuseUnfit(APPROVALS, run, word({ question: outcome.id }))).toThrow('resolveOutcome');
    expect(() => refuseUnfit(OUTCOMES, run, ruling({ question: approval.id }))).toThrow('decideApproval');
  });

  test('each run, call, argument and round has a question of its own', () => {
    const ids = ['e-1', 'e-2'].flatMap((execution) =>
      ['t1c0', 't1c1', 't2c0'].flatMap((call) =>
        ['d1', 'd2'].flatMap((digest) =>
          [0, 1, 2].map((round) => approvalId({ execution, call, digest, generation: 1, round })),
        ),
      ),
    );
    expect(new Set(ids).size).toBe(36);
  });
});
