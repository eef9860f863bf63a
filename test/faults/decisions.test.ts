import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { makeEd25519Key, type Ed25519Key } from '../../src/policy/ed25519-key.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf, outcomeOf } from '../support/questions.ts';
import { openRig, type Rig, type RigOptions } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

let keys: { readonly ann: Ed25519Key; readonly bob: Ed25519Key };
beforeAll(async () => {
  const make = () => makeEd25519Key(crypto.getRandomValues(new Uint8Array(32)));
  keys = { ann: await make(), bob: await make() };
});
const signed = (): RigOptions['config'] => ({
  deciders: [
    { name: 'ann', key: keys.ann.public },
    { name: 'bob', key: keys.bob.public },
  ],
});
const quorum = { approvals: { quorum: { above: 100 } } } as const;
const worth = { amount: ({ amount = 0 }: { amount?: number | undefined }) => amount };
const ann = { by: 'ann', reason: 'looked' } as const;
const bob = { by: 'bob', reason: 'agreed' } as const;
const lost = { execute: () => Promise.reject(new Error('connection reset')) } as const;

const agentOf = (tool: Tool) => ({ model: scriptedModel(askThenTell([pays('A', 500)])), tools: [tool] });
async function start(tool: Tool, options: RigOptions = {}) {
  rig = await openRig(agentOf(tool), { grace: '1s', ...options });
  return rig.client.start({ agent: 'tester', input: 'go' });
}
const repliesTo = async (run: RunHandle) => repliesOf((await run.result()).text);
const answers = (run: RunHandle) => eventually('a worker to answer', () => run.state());
const isClaimed = (record: LedgerRecord) => record.is === 'claimed';

describe('"did not happen", and again', () => {
  const again = { verdict: 'did-not-happen', then: 'retry', ...ann } as const;

  test('about an attempt that has ended does not undo the one that another run makes of the action', async () => {
    let bodies = 0;
    let finish: (value: unknown) => void = () => undefined;
    const { pay } = payTool({
      timeout: '3s',
      execute: () => {
        bodies += 1;
        return bodies === 1 ? Promise.reject(new Error('reset')) : new Promise((resolve) => (finish = resolve));
      },
    });
    rig = await openRig(agentOf(pay), { grace: '1s' });
    const one = await rig.client.start({ agent: 'tester', input: 'go', taskId: 'T' });
    const { id } = await outcomeOf(one);
    // What a worker writes that stood still, and wakes after its time to send: nothing was sent.
    const claim = (await rig.records(one.id)).find((record) => record.is === 'claimed')!;
    const { key, task, run, execution, call, tool, generation } = claim;
    const about = { key, task, run, execution, call, tool, generation, at: Date.now() };
    const woken = { is: 'not-executed', claim: claim.claim, proof: 'woke late', sent: false, definite: false } as const;
    await rig.ledger.decide(key, () => ({ append: [{ ...about, ...woken }], answer: undefined }));
    const two = await rig.client.start({ agent: 'tester', input: 'go', taskId: 'T' });
    await eventually('the second body', () => bodies === 2);
    const said = await one.resolveOutcome({ question: id, ...again });
    expect(said).toMatchObject({ is: 'refused' });
    finish({ paid: 500 });
    expect(await repliesTo(two)).toMatchObject([{ status: 'ok' }]);
    expect(await repliesTo(one)).toMatchObject([{ status: 'ok' }]);
    expect(bodies).toBe(2);
    expect((await rig.ledger.read({ task: 'T' })).filter(({ is }) => is === 'settled')).toEqual([]);
  });

  test('counts after the time that the attempt was claimed with, whatever a later version of the tool says', async () => {
    const old = payTool({ ...lost, landsWithin: '10m', timeout: '1s' });
    const fresh = payTool({ landsWithin: '1ms', timeout: '1s' });
    rig = await openRig(agentOf(old.pay), { grace: '1s' });
    const one = await rig.client.start({ agent: 'tester', input: 'go', taskId: 'T' });
    await outcomeOf(one);
    await rig.stopWorkers();
    await rig.startWorker(agentOf(fresh.pay));
    const two = await rig.client.start({ agent: 'tester', input: 'go', taskId: 'T' });
    const { id, horizon } = await outcomeOf(two);
    expect(horizon).toBeGreaterThan(Date.now() + 500_000);
    expect(await two.resolveOutcome({ question: id, ...again })).toMatchObject({
      is: 'refused',
      why: expect.stringContaining('may still land'),
    });
    expect(fresh.seen).toEqual([]);
    expect((await rig.ledger.read({ task: 'T' })).filter(isClaimed)).toHaveLength(1);
  });
});

describe('what a run asks of decisions holds without its worker', () => {
  test('a client that has no deciders settles nothing of a run that counts only signed ones', async () => {
    const run = await start(payTool(lost).pay, { config: signed()! });
    const { id } = await outcomeOf(run);
    await rig.stopWorkers();
    const bare = await AgentClient.connect({ settings: rig.settings, taskQueue: rig.taskQueue });
    const forged = { question: id, verdict: 'happened', result: 'forged', by: 'mallory', reason: 'x' } as const;
    expect(await bare.get(run.id).resolveOutcome(forged)).toMatchObject({
      is: 'refused',
      why: expect.stringContaining('only signed decisions'),
    });
    await bare.close();
    expect((await rig.records(run.id)).some(({ is }) => is === 'settled')).toBe(false);
  });

  test('a client that knows no quorum settles nothing with one word', async () => {
    const run = await start(payTool({ ...lost, ...worth }).pay, { config: quorum });
    const question = await outcomeOf(run);
    expect(question.need).toBe(2);
    await rig.stopWorkers();
    const bare = await AgentClient.connect({ settings: rig.settings, taskQueue: rig.taskQueue });
    const word = { question: question.id, verdict: 'happened', result: 1 } as const;
    expect(await bare.get(run.id).resolveOutcome({ ...word, ...ann })).toMatchObject({ is: 'more' });
    expect(await bare.get(run.id).resolveOutcome({ ...word, ...bob })).toMatchObject({ is: 'applied' });
    await bare.close();
  });
});

test('one forged word, nested deep, is refused and stands in nobody’s way', async () => {
  const run = await start(payTool(lost).pay, { config: signed()! });
  const { id, digest } = await outcomeOf(run);
  const result = JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`) as never;
  const forged = { id: 'w', question: id, verdict: 'happened', result, ...ann, digest, signature: 'AAAA' } as const;
  await rig.temporal.workflow.getHandle(run.id).signal('resolveOutcome', forged);
  await eventually('the refusal', async () => (await run.state())?.refused.length === 1);
  const word = { question: id, verdict: 'happened', result: 1, ...ann, signWith: keys.ann.secret } as const;
  expect(await run.resolveOutcome(word)).toMatchObject({ is: 'applied' });
  expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: 1 }]);
});

describe('a word under an id that has been used', () => {
  const asks = { needsApproval: true, ...worth } as const;

  test('by another person counts as theirs', async () => {
    const run = await start(payTool(asks).pay, { config: quorum });
    const { id: question } = await approvalOf(run);
    const word = { id: 'd1', question, verdict: 'approve' } as const;
    expect(await run.decideApproval({ ...word, ...ann })).toMatchObject({ is: 'more' });
    expect(await run.decideApproval({ ...word, ...bob })).toMatchObject({ is: 'applied' });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
  });

  test('put right, counts', async () => {
    const run = await start(payTool(asks).pay, { config: signed()! });
    const { id: question } = await approvalOf(run);
    const word = { id: 'd1', question, verdict: 'approve', ...ann } as const;
    expect(await run.decideApproval({ ...word, signWith: keys.bob.secret })).toMatchObject({ is: 'refused' });
    expect(await run.decideApproval({ ...word, signWith: keys.ann.secret })).toMatchObject({ is: 'applied' });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
  });

  test('that says otherwise is told what stands', async () => {
    const run = await start(payTool(asks).pay, { config: quorum });
    const { id: question } = await approvalOf(run);
    const word = { id: 'd1', question, ...ann } as const;
    expect(await run.decideApproval({ ...word, verdict: 'approve' })).toMatchObject({ is: 'more' });
    expect(await run.decideApproval({ ...word, verdict: 'deny' })).toMatchObject({
      is: 'refused',
      why: expect.stringContaining('ann approved it'),
    });
  });

  test('by the same person, typed otherwise, is no second one', async () => {
    const run = await start(payTool(asks).pay, { config: quorum });
    const { id: question } = await approvalOf(run);
    await run.decideApproval({ question, verdict: 'approve', ...ann });
    const twin = await run.decideApproval({ question, verdict: 'approve', by: 'Ann', reason: 'me' });
    expect(twin).toMatchObject({ is: 'more', message: expect.stringContaining('2 different people') });
  });
});

test('a run without a quorum whose worker has one by now asks for two, and says so', async () => {
  const run = await start(payTool({ needsApproval: true, ...worth }).pay);
  const { id: question } = await approvalOf(run);
  await rig.stopWorkers();
  await rig.startWorker(undefined, quorum);
  await answers(run);
  expect(await run.decideApproval({ question, verdict: 'approve', ...ann })).toMatchObject({
    is: 'more',
    message: expect.stringContaining('2 different people'),
  });
});

test('an approval given after its question expired is refused, and the question is asked again', async () => {
  const { pay, seen } = payTool({ needsApproval: true });
  const run = await start(pay, { config: { approvals: { expire: '3s' } } });
  const first = await approvalOf(run);
  await rig.stopWorkers();
  await eventually('its expiry', () => Date.now() > first.expiresAt + 500, 10_000);
  await run.decideApproval({ question: first.id, verdict: 'approve', ...ann });
  await rig.startWorker();
  await approvalOf(run, ({ id }) => id !== first.id);
  await eventually('the refusal', async () => (await run.state())?.refused[0]?.question === first.id);
  expect((await run.state())?.refused[0]?.why).toContain('expired');
  expect(seen).toEqual([]);
  // One that comes still later is told the same, and is not kept for a question that will not come.
  await rig.temporal.workflow
    .getHandle(run.id)
    .signal('decideApproval', { id: 'd9', question: first.id, verdict: 'approve', ...bob });
  await eventually('the second refusal', async () => (await run.state())?.refused.length === 2);
  expect((await run.state())?.awaited).toEqual([]);
});
