import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { LedgerEntry } from '../../src/contracts/ledger.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { AskedCall, Rule } from '../../src/testing/rule.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf, outcomeOf } from '../support/questions.ts';
import { openRig, type Rig, type RigOptions } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

const ann = { by: 'ann', reason: 'looked' } as const;

async function startWith(tools: readonly Tool[], rule: Rule, options: RigOptions = {}) {
  rig = await openRig({ model: scriptedModel(rule), tools }, options);
  return rig.client.start({ agent: 'tester', input: 'go', taskId: 'ticket-7' });
}

const repliesTo = async (run: RunHandle) => repliesOf((await run.result()).text);
const lost = () => Promise.reject(new Error('connection reset'));

describe('the same action again after it had failed', () => {
  /** The tool itself said no, in another run of the task: as an MCP server does with `isError`. */
  async function startAfterFailure(options: Parameters<typeof payTool>[0]) {
    const { pay, seen } = payTool(options);
    rig = await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }, { worker: 'later' });
    const ledger = openLedger(rig.settings.ledger);
    const subject = { task: 'ticket-7', run: 'r0', execution: 'e0', call: 't1c0', tool: 'pay', generation: 1, at: 1 };
    const key = { namespace: 'default', scope: 'task:ticket-7', intent: 'pay:A' };
    const claim = { is: 'claimed', claim: 'c0', schedule: 1, holder: 'w', sendBy: 2, digest: 'd', landsWithinMs: 1 };
    const input = { is: 'inline', value: {} } as const;
    const append: LedgerEntry[] = [
      { ...subject, key, ...claim, input, effect: 'unflagged' } as LedgerEntry,
      { ...subject, key, is: 'failed', claim: 'c0', message: 'card declined' },
    ];
    await ledger.decide(key, () => ({ append, answer: undefined }));
    await ledger.close();
    await rig.startWorker();
    const run = await rig.client.start({ agent: 'tester', input: 'go', taskId: 'ticket-7' });
    return { run, seen };
  }

  test('asks somebody by default, who is told what had failed; approved, it is made under a new key', async () => {
    const { run, seen } = await startAfterFailure({});
    const { id, because } = await approvalOf(run);
    expect(because).toEqual(['The same action had failed before: card declined']);
    expect(seen).toHaveLength(0);
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });

  test.each([
    { rule: 'block', is: 'blocked', times: 0 },
    { rule: () => 'block', is: 'blocked', times: 0 },
    { rule: () => 'allow', is: 'ok', times: 1 },
  ] as const)('onRepeat $rule: $is', async ({ rule, is, times }) => {
    const { run, seen } = await startAfterFailure({ onRepeat: rule });
    expect(await repliesTo(run)).toMatchObject([{ status: is }]);
    expect(seen).toHaveLength(times);
  });

  test('a rule of its own with a bug asks', async () => {
    const onRepeat = () => {
      throw new Error('bug');
    };
    const { run, seen } = await startAfterFailure({ onRepeat });
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'deny', ...ann });
    expect(await repliesTo(run)).toMatchObject([{ status: 'blocked' }]);
    expect(seen).toHaveLength(0);
  });
});

describe('another action of a tool, while one of its outcomes is unknown', () => {
  const paysTheUser: Rule = ({ turn, user, results }) =>
    turn === 0 ? { calls: [pays(user)] } : { text: JSON.stringify(results.map(({ reply }) => reply)) };
  const start = (input: string) => rig.client.start({ agent: 'tester', input, taskId: 'ticket-7' });

  test('asks, also in another run of the task; the same action waits for the same question', async () => {
    const { pay } = payTool({ execute: lost });
    rig = await openRig({ model: scriptedModel(paysTheUser), tools: [pay] });
    const first = await start('A');
    const { id } = await outcomeOf(first);
    const same = await start('A');
    const other = await start('B');
    expect((await outcomeOf(same)).id).toBe(id);
    const approval = await approvalOf(other);
    expect(approval.because.join()).toContain('pay:A');
    await first.resolveOutcome({ question: id, verdict: 'happened', result: 'paid', ...ann });
    expect(await repliesTo(first)).toMatchObject([{ status: 'ok', data: 'paid' }]);
    expect(await repliesTo(same)).toMatchObject([{ status: 'ok', data: 'paid' }]);
    await other.decideApproval({ question: approval.id, verdict: 'deny', ...ann });
    expect(await repliesTo(other)).toMatchObject([{ status: 'blocked' }]);
  });

  test('is made unasked where the model asked for both in one turn: siblings are carried out', async () => {
    const { pay } = payTool({
      needsApproval: ({ order }) => order === 'B',
      execute: ({ order }) => (order === 'A' ? lost() : Promise.resolve(order)),
    });
    const run = await startWith([pay], askThenTell([pays('A'), pays('B')]));
    const { id } = await outcomeOf(run);
    const approval = await approvalOf(run);
    expect(approval.because).toEqual(['pay needs an approval for these arguments']);
    await run.decideApproval({ question: approval.id, verdict: 'approve', ...ann });
    expect((await run.state())?.questions.map((question) => question.id)).toEqual([id]);
    await run.resolveOutcome({ question: id, verdict: 'happened', result: 'paid', ...ann });
    expect((await repliesTo(run)).map(({ data }) => data)).toEqual(['paid', 'B']);
  });

  test('is made unasked in another task, and once the first is settled', async () => {
    const { pay, seen } = payTool({ execute: ({ order }) => (order === 'A' ? lost() : Promise.resolve(order)) });
    rig = await openRig({ model: scriptedModel(paysTheUser), tools: [pay] });
    const first = await start('A');
    const { id } = await outcomeOf(first);
    const elsewhere = await rig.client.start({ agent: 'tester', input: 'C', taskId: 'ticket-8' });
    expect(await repliesTo(elsewhere)).toMatchObject([{ status: 'ok', data: 'C' }]);
    await first.resolveOutcome({ question: id, verdict: 'happened', result: 'paid', ...ann });
    await first.result();
    expect(await repliesTo(await start('B'))).toMatchObject([{ status: 'ok', data: 'B' }]);
    expect(seen).toHaveLength(0);
  });
});

describe('a call that is made again and again', () => {
  const endless: (call: AskedCall) => Rule =
    (call) =>
    ({ turn }) =>
      turn < 20 ? { calls: [call] } : { text: 'done' };

  test('an unflagged one without a name: the third of the same arguments asks somebody', async () => {
    const { pay, seen } = payTool({ intent: undefined });
    const run = await startWith([pay], endless(pays('A')));
    const { because } = await approvalOf(run);
    expect(because).toEqual(['the same call has been made 2 times already in this run']);
    expect(seen).toHaveLength(2);
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped' });
    expect(seen).toHaveLength(2);
  });

  test('one that cannot run ends the run after some repetitions, with the reason', async () => {
    const { pay, seen } = payTool();
    const run = await startWith([pay], endless({ tool: 'pay', input: { order: 7 } }));
    const { status, text } = await run.result();
    expect(status).toBe('partial');
    expect(text).toContain('The model made the same call of pay 4 times');
    expect(seen).toHaveLength(0);
  });

  test('one that fails each time: the fourth asks somebody', async () => {
    const { pay, seen } = payTool({
      readOnly: true,
      intent: undefined,
      landsWithin: undefined,
      execute: () => {
        seen.push({ key: '', input: { order: 'A' } });
        return Promise.reject(new Error('no such order'));
      },
    });
    const run = await startWith([pay], endless(pays('A')));
    const { because } = await approvalOf(run);
    expect(because).toEqual(['the same call has failed 3 times in this run']);
    expect(seen).toHaveLength(3);
    await run.stop('now');
  });
});

describe('check_outcome', () => {
  test('tells the model that it is still pending, and later what became of it', async () => {
    const { pay, seen } = payTool({ onUnknown: 'tell-model', execute: lost });
    const rule: Rule = ({ turn, results }) => {
      const heard = results.map(({ reply }) => reply);
      const handle = (heard[0] as { handle?: string } | undefined)?.handle ?? 'none';
      if (turn === 0) return { calls: [pays('A')] };
      if (turn === 1) return { calls: [{ tool: 'check_outcome', input: { handle: 'q-nonsense' } }] };
      if (turn === 2) return { calls: [{ tool: 'check_outcome', input: { handle } }] };
      return { text: JSON.stringify(heard) };
    };
    const run = await startWith([pay], rule);
    const { id } = await outcomeOf(run);
    await run.resolveOutcome({ question: id, verdict: 'happened', result: { paid: 1 }, ...ann });
    expect(await repliesTo(run)).toMatchObject([
      { status: 'pending', handle: id },
      { status: 'failed', message: expect.stringContaining('q-nonsense') },
      { status: 'ok', data: { paid: 1 } },
    ]);
    expect(seen).toHaveLength(0);
  });
});

describe('cancel', () => {
  test('is asked once when sight was lost; what it says is shown, and settles nothing', async () => {
    let asked = 0;
    const { pay } = payTool({
      execute: lost,
      cancel: ({ order }) => {
        asked += 1;
        return Promise.resolve({ calledOff: order });
      },
    });
    const run = await startWith([pay], askThenTell([pays('A')]));
    const { id, known } = await outcomeOf(run);
    expect(known.length).toBeGreaterThan(0);
    const shown = await waitForKnown(run, 'Called off');
    expect(shown).toContain('{"calledOff":"A"}');
    expect((await run.state())?.questions.map((question) => question.id)).toEqual([id]);
    await run.resolveOutcome({ question: id, verdict: 'happened', result: null, ...ann });
    await run.result();
    expect(asked).toBe(1);
  });
});

async function waitForKnown(run: RunHandle, text: string): Promise<string> {
  for (;;) {
    const known = (await outcomeOf(run)).known.join('\n');
    if (known.includes(text)) return known;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('keyValidFor', () => {
  test('past it a call that may have been sent is not repeated, but asked about', async () => {
    let sent = 0;
    const { pay } = payTool({
      idempotent: 'by-key',
      keyValidFor: '1ms',
      execute: () => {
        sent += 1;
        return Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
      },
    });
    const run = await startWith([pay], askThenTell([pays('A')]));
    const { id } = await outcomeOf(run);
    expect(sent).toBe(1);
    await run.resolveOutcome({ question: id, verdict: 'happened', result: 'paid', ...ann });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(sent).toBe(1);
  });
});
