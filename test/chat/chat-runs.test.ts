import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { z } from 'zod';
import { chatHandler } from '../../src/chat/chat-handler.ts';
import type { ChatMessage } from '../../src/chat/chat-message.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { Rule } from '../../src/testing/rule.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { cutOnce } from './cut-once.ts';
import { chunksOfResponse, get, post, readStream, userMessage } from './requests.ts';
import { linesOf, shownAfter } from './run-story.ts';

let rig: Rig;
/** The server is shared, and a run's id is made of its chat's. */
let chat = '';
beforeEach(() => {
  chat = `c-${crypto.randomUUID()}`;
});
afterEach(() => rig.close());

const TOLD = 'I have refunded the order, and the money is on its way.';
const refundThenTell: Rule = ({ results }) =>
  results.length === 0
    ? { text: 'I refund it.', calls: [{ tool: 'refund', input: { orderId: 'A-1', amount: 49 } }] }
    : { text: TOLD };

/** A rig whose one tool counts what it does, and a chat with its agent. */
async function openChatRig({ needsApproval = false, cut = false, isNamed = true } = {}) {
  let refunds = 0;
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds an order.',
    input: z.object({ orderId: z.string(), amount: z.number() }),
    timeout: '5s',
    ...(isNamed && { intent: ({ orderId }: { readonly orderId: string }) => `refund:${orderId}` }),
    needsApproval: () => needsApproval,
    execute: ({ orderId }) => {
      refunds += 1;
      return Promise.resolve({ id: `re_${orderId}` });
    },
  });
  const model = scriptedModel(refundThenTell);
  rig = await openRig({
    model: cut ? cutOnce(model, 5, (said) => said.startsWith('I have ref')) : model,
    tools: [refund],
    backoff: { base: 10, max: 20 },
  });
  const handle = chatHandler({ client: rig.client, agent: 'tester', authorize: () => undefined });
  return { handle, refunds: () => refunds };
}

const HELLO = userMessage('m1', 'Refund A-1.');
const WHOLE = [
  '--',
  'text: I refund it.',
  'refund {"orderId":"A-1","amount":49} output-available {"id":"re_A-1"}',
  '--',
  `text: ${TOLD}`,
];

test('a message is kept before any worker has been there', async () => {
  rig = await openRig({ model: scriptedModel(refundThenTell), tools: [] }, { worker: 'later' });
  expect(await rig.client.chat(chat).entries()).toEqual([]);
  await rig.client.chat(chat).add({ run: 'r', message: { id: 'm1' } });
  expect(await rig.client.chat(chat).entries()).toMatchObject([{ run: 'r' }]);
});

test('a message that is sent twice at once, and once more later, does its work once and shows the same', async () => {
  const { handle, refunds } = await openChatRig();
  const responses = await Promise.all([handle(post(chat, [HELLO])), handle(post(chat, [HELLO]))]);
  const later = { trigger: 'regenerate-message' };
  const runs = new Set<string>();
  for (const response of [...responses, await handle(post(chat, [HELLO], later))]) {
    const message = await shownAfter(await chunksOfResponse(response));
    expect(linesOf(message)).toEqual(WHOLE);
    runs.add(message.id);
  }
  expect([runs.size, refunds()]).toEqual([1, 1]);
});

test.each([true, false])(
  'the same wish in another message of the chat does it no second time (intent named: %p)',
  async (isNamed) => {
    const { handle, refunds } = await openChatRig({ isNamed });
    await chunksOfResponse(await handle(post(chat, [HELLO])));
    const again = await handle(post(chat, [HELLO, userMessage('m2', 'Do it again.')]));
    expect(linesOf(await shownAfter(await chunksOfResponse(again)))).toEqual(WHOLE);
    expect(refunds()).toBe(1);
    const alone = chatHandler({ client: rig.client, agent: 'tester', authorize: () => undefined, task: 'message' });
    await chunksOfResponse(await alone(post(chat, [HELLO, userMessage('m3', 'And again.')])));
    expect(refunds()).toBe(2);
    await chunksOfResponse(await handle(post(`${chat}-2`, [HELLO])));
    expect(refunds()).toBe(3);
  },
);

test('an attempt that is cut in the middle of a word leaves nothing of it', async () => {
  const { handle } = await openChatRig({ cut: true });
  const chunks = await chunksOfResponse(await handle(post(chat, [HELLO])));
  expect(chunks.map(({ type }) => type)).toContain('reset-step');
  expect(linesOf(await shownAfter(chunks))).toEqual(WHOLE);
});

test('a question for a person keeps the stream open, and the rest follows its answer', async () => {
  const { handle, refunds } = await openChatRig({ needsApproval: true });
  const stream = readStream(await handle(post(chat, [HELLO])));
  const asked = await eventually('a question', () => stream.chunks.find(({ type }) => type === 'data-question'));
  const { id: question = '' } = asked as { id?: string };
  const run = (stream.chunks[0] as { messageId: string }).messageId;
  const { messages } = (await (await handle(get(chat))).json()) as { messages: ChatMessage[] };
  expect(linesOf(messages[1]!).at(-1)).toBe(`question ${question}: open`);
  expect(refunds()).toBe(0);
  await rig.client.get(run).decideApproval({ question, verdict: 'approve', by: 'anna', reason: 'fine' });
  expect(await stream.ended).toBeUndefined();
  expect(linesOf(await shownAfter(stream.chunks))).toEqual([
    ...WHOLE.slice(0, 3),
    `question ${question}: settled`,
    ...WHOLE.slice(3),
  ]);
});

test('a run that nobody publishes is shown with its answer all the same', async () => {
  rig = await openRig({ model: scriptedModel(() => ({ text: TOLD })), tools: [] });
  const handle = chatHandler({ client: rig.client, agent: 'tester', authorize: () => undefined });
  expect(linesOf(await shownAfter(await chunksOfResponse(await handle(post(chat, [HELLO])))))).toContain(
    `text: ${TOLD}`,
  );
});

test('a run that was terminated is told to have no answer', async () => {
  rig = await openRig({ model: scriptedModel(() => ({ text: TOLD }), { delayMs: 60_000 }), tools: [] });
  const handle = chatHandler({ client: rig.client, agent: 'tester', authorize: () => undefined });
  const stream = readStream(await handle(post(chat, [HELLO])));
  const run = (await eventually('the start', () => stream.chunks[0])) as { messageId: string };
  await rig.temporal.workflow.getHandle(run.messageId).terminate();
  await stream.ended;
  expect(await shownAfter(stream.chunks)).toMatchObject({ metadata: { status: 'terminated' } });
});
