import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Decider } from '../../src/contracts/decider.ts';
import { makeEd25519Key, type Ed25519Key } from '../../src/policy/ed25519-key.ts';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { createAgentWorker } from '../../src/workers/create-agent-worker.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf, outcomeOf } from '../support/questions.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

let ann: Ed25519Key;
let eve: Ed25519Key;
beforeAll(async () => {
  ann = await makeEd25519Key(crypto.getRandomValues(new Uint8Array(32)));
  eve = await makeEd25519Key(crypto.getRandomValues(new Uint8Array(32)));
});

const saysAnn = { by: 'ann', reason: 'looked' } as const;

async function start(options: Parameters<typeof payTool>[0], extra: Partial<Decider> = {}) {
  const { pay, seen } = payTool(options);
  const deciders: readonly Decider[] = [
    { name: 'ann', key: ann.public, ...extra },
    { name: 'bob', key: eve.public },
  ];
  rig = await openRig({ model: scriptedModel(askThenTell([pays('A', 49)])), tools: [pay] }, { config: { deciders } });
  return { run: await rig.client.start({ agent: 'tester', input: 'go' }), seen };
}

const declined = async (run: string) => (await rig.records(run)).filter((record) => record.is === 'declined');

describe('with deciders configured', () => {
  test('an approval counts only with the signature of one of them; what was refused is on record and uses up nothing', async () => {
    const { run, seen } = await start({ needsApproval: true });
    const { id } = await approvalOf(run);
    const word = { question: id, verdict: 'approve', ...saysAnn } as const;
    expect(await run.decideApproval(word)).toMatchObject({ is: 'refused', why: expect.stringContaining('not signed') });
    const forged = await run.decideApproval({ ...word, signWith: eve.secret });
    expect(forged).toMatchObject({ is: 'refused', why: expect.stringContaining('not one of ann') });
    const stranger = await run.decideApproval({ ...word, by: 'eve', signWith: eve.secret });
    expect(stranger).toMatchObject({ is: 'refused', why: expect.stringContaining('"eve" is no decider') });
    expect(seen).toHaveLength(0);
    expect(await declined(run.id)).toHaveLength(3);
    expect(await run.decideApproval({ ...word, signWith: ann.secret })).toMatchObject({ is: 'applied' });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });

  test('a bare signal from whoever can write to the namespace settles nothing', async () => {
    const { run } = await start({ execute: () => Promise.reject(new Error('connection reset')) });
    const { id } = await outcomeOf(run);
    const bare = { id: 'd1', question: id, verdict: 'happened', result: 'x', ...saysAnn };
    await rig.temporal.workflow.getHandle(run.id).signal('resolveOutcome', bare);
    const view = await eventually('the refusal', async () => {
      const now = await run.state();
      return now && now.refused.length > 0 && now;
    });
    expect(view.refused[0]?.why).toContain('not signed');
    expect(view.questions.map((question) => question.id)).toEqual([id]);
    expect(await declined(run.id)).toHaveLength(1);
    const signed = { question: id, verdict: 'happened', result: 'paid', signWith: ann.secret, ...saysAnn } as const;
    expect(await run.resolveOutcome(signed)).toMatchObject({ is: 'applied' });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 'paid' }]);
  });

  test('an abort that nobody has verified ends nothing', async () => {
    const { run } = await start({ execute: () => Promise.reject(new Error('connection reset')) });
    const { id } = await outcomeOf(run);
    const forged = { id: 'd1', question: id, verdict: 'abort', by: 'ann', reason: 'forged' };
    await rig.temporal.workflow.getHandle(run.id).signal('resolveOutcome', forged);
    const view = await eventually('the refusal', async () => {
      const now = await run.state();
      return now && now.refused.length > 0 && now;
    });
    expect(view.refused[0]?.why).toContain('ended with "stop"');
    expect(view.questions.map((question) => question.id)).toEqual([id]);
    await run.stop('now');
  });

  test('who may decide something else may not decide this', async () => {
    const { run } = await start({ needsApproval: true }, { kinds: ['outcome'] });
    const { id } = await approvalOf(run);
    const word = { question: id, verdict: 'approve', signWith: ann.secret, ...saysAnn } as const;
    expect(await run.decideApproval(word)).toMatchObject({
      is: 'refused',
      why: expect.stringContaining('may not decide approvals of pay'),
    });
    await run.stop('now');
  });

  test('a worker whose configuration has no deciders lets nothing pass; one that has them does', async () => {
    const { run, seen } = await start({ needsApproval: true });
    const { id } = await approvalOf(run);
    const { pay } = payTool({ needsApproval: true });
    const bare = { model: scriptedModel(askThenTell([pays('A', 49)])), tools: [pay] };
    await rig.stopWorkers();
    const config = defineConfig({
      agents: [defineAgent({ name: 'tester', instructions: 'You are tested.', ...bare })],
      taskQueue: rig.taskQueue,
    });
    const other = await createAgentWorker(config, { settings: rig.settings, shutdownGrace: '2s', logger: quietLogger });
    const running = other.run();
    const unsigned = { id: 'd1', question: id, verdict: 'approve', ...saysAnn };
    await rig.temporal.workflow.getHandle(run.id).signal('decideApproval', unsigned);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await rig.records(run.id)).toEqual([]);
    other.shutdown();
    await running;
    await rig.startWorker();
    await run.decideApproval({ question: id, verdict: 'approve', signWith: ann.secret, ...saysAnn });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });

  test('what a closed run left open is held to the same rule', async () => {
    const { run } = await start({ execute: () => Promise.reject(new Error('connection reset')) });
    const { id } = await outcomeOf(run);
    await run.stop('now');
    await run.result();
    const said = { question: id, verdict: 'happened', result: 'paid', ...saysAnn } as const;
    expect(await run.resolveOutcome(said)).toMatchObject({ is: 'refused', why: expect.stringContaining('not signed') });
    expect(await run.resolveOutcome({ ...said, signWith: ann.secret })).toMatchObject({ is: 'applied', to: 'ledger' });
  });
});
