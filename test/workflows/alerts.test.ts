import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf } from '../support/questions.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell } from '../support/rules.ts';

let rig: Rig | undefined;
let hook: Hook | undefined;
afterEach(async () => {
  await rig?.close();
  hook?.server.close();
  rig = hook = undefined;
});

interface Heard {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly question: { readonly id: string }; readonly commands: readonly string[] };
}

interface Hook {
  readonly server: Server;
  readonly url: string;
  readonly heard: Heard[];
}

/** A receiver that fails the first `failures` deliveries. */
async function openHook(failures = 0): Promise<Hook> {
  const heard: Heard[] = [];
  let left = failures;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const isTaken = left-- <= 0;
      if (isTaken) heard.push({ ...(JSON.parse(body) as Heard), id: String(request.headers['webhook-id']) });
      response.writeHead(isTaken ? 204 : 500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

describe('people are told of a question', () => {
  test('at once, although the receiver fails at first; then a reminder, then somebody else', async () => {
    hook = await openHook(1);
    const { heard, url } = hook;
    const { pay } = payTool({ needsApproval: true });
    const notify = { url, remindAfter: '3s', escalateAfter: '5s' } as const;
    rig = await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }, { config: { notify } });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    await eventually('three notices', () => heard.length >= 3, 30_000);
    expect(heard.map(({ type }) => type)).toEqual([
      'holdfast.question.asked',
      'holdfast.question.reminder',
      'holdfast.question.escalation',
    ]);
    expect(new Set(heard.map(({ data }) => data.question.id))).toEqual(new Set([id]));
    expect(new Set(heard.map((notice) => notice.id)).size).toBe(3);
    expect(heard[0]?.data.commands.join()).toContain(`holdfast approve ${id}`);
    await run.decideApproval({ question: id, verdict: 'approve', by: 'ann', reason: 'looked' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(heard).toHaveLength(3);
  });

  test('a receiver that is away keeps nobody from answering', async () => {
    const { pay, seen } = payTool({ needsApproval: true });
    const notify = { url: 'http://127.0.0.1:9/', remindAfter: '3s' } as const;
    rig = await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }, { config: { notify } });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', by: 'ann', reason: 'looked' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(seen).toHaveLength(1);
  });
});
