import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chatListener } from '../../examples/chat/chat-listener.ts';
import { supportAgent } from '../../examples/chat/agent.ts';
import type { AgentDefinition } from '../../src/contracts/agent.ts';
import { serve, type LocalServer } from '../../src/testing/index.ts';
import { CHROMIUM } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { testNeeding } from '../support/test-needing.ts';
import { cutOnce } from './cut-once.ts';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];

let rig: Rig | undefined;
let server: LocalServer | undefined;
let browser: Browser | undefined;
const open = new Set<ServerResponse>();
const broken: Error[] = [];
afterEach(async () => {
  await browser?.close();
  await server?.close();
  await rig?.close();
  open.clear();
  // Whatever broke in the page's own code.
  expect(broken.splice(0)).toEqual([]);
});

/** The page of the example on a server and a worker of the test's own. */
async function openPage(change: (agent: AgentDefinition) => AgentDefinition = (agent) => agent): Promise<Page> {
  const agent = change(supportAgent({ partMs: 60 }));
  rig = await openRig({ ...agent, name: 'support', backoff: { base: 10, max: 20 } });
  const listener = await chatListener({ client: rig.client, agent: 'support', place: '--data DIR', keepAlive: 50 });
  server = await serve((request, response) => {
    open.add(response);
    listener(request, response);
  });
  browser = await chromium.launch({ executablePath: CHROMIUM.path ?? '', args: FLAGS });
  const context = await browser.newContext({ viewport: { width: 900, height: 800 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => broken.push(error));
  await page.addInitScript(KEEP_WHAT_IS_SHOWN);
  await page.goto(server.url);
  return page;
}

/** Keeps every text that the last answer had, one after the other, in the page itself. Source: the page's types are not ours. */
const KEEP_WHAT_IS_SHOWN = `
  globalThis.shown = [];
  const look = () => {
    const texts = [...document.querySelectorAll('article.assistant:last-of-type p')].map((p) => p.textContent);
    const text = texts.join('\\n');
    if (text !== '' && text !== shown.at(-1)) shown.push(text);
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
`;

const everShown = (page: Page) => page.evaluate<readonly string[]>('shown');

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

const answers = (page: Page) => page.locator('article.assistant');
const textOf = async (page: Page) => (await answers(page).last().locator('p').allTextContents()).join('\n');

const ASKED = 'I ask for the refund.';
const TOLD =
  'Order A-1 is refunded: $80 are on their way back to the card that paid for it, and should be there in three to five days. Is there anything else I can do for you?';
const WHOLE = `${ASKED}\n${TOLD}`;

const isOver = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor();

/** Waits for the middle of the answer. */
const untilMiddle = (page: Page) =>
  eventually('half of the answer', async () => {
    const text = await textOf(page).catch(() => '');
    return text.includes('is refunded') && !text.includes('days');
  });

const browserTest = testNeeding(CHROMIUM);

describe('the page of the example', () => {
  browserTest('shows words before the answer has ended, each of them once', async () => {
    const page = await openPage();
    await send(page, 'Refund A-1, $80.');
    await untilMiddle(page);
    await isOver(page);
    expect(await textOf(page)).toBe(WHOLE);
    expect(await answers(page).count()).toBe(1);
    const shown = await everShown(page);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((text) => !WHOLE.startsWith(text))).toEqual([]);
    expect(await page.locator('.card').innerText()).toMatch(/refund\b.*A-1 · 80/s);
  });

  browserTest('shows everything once after a reload in the middle, and in a second tab', async () => {
    const page = await openPage();
    await send(page, 'Refund A-1, $80.');
    await untilMiddle(page);
    const other = await page.context().newPage();
    await Promise.all([page.reload(), other.goto(page.url())]);
    for (const tab of [page, other]) {
      await eventually('the end', async () => (await textOf(tab).catch(() => '')).includes('for you?'));
      await isOver(tab);
      expect(await textOf(tab)).toBe(WHOLE);
      expect(await tab.locator('article').count()).toBe(2);
    }
  });

  browserTest('shows no word of an attempt that was cut', async () => {
    const page = await openPage((agent) => ({
      ...agent,
      model: cutOnce(agent.model as never, 12, (said) => said.startsWith('Order A-1')),
    }));
    await send(page, 'Refund A-1, $80.');
    await eventually('the end', async () => (await textOf(page).catch(() => '')).includes('for you?'));
    expect(await textOf(page)).toBe(WHOLE);
    const shown = await everShown(page);
    expect(shown.filter((text) => !WHOLE.startsWith(text))).toEqual([]);
    // It did get shorter in between: something was shown, and taken back.
    expect(shown.some((text, at) => at > 0 && text.length < (shown[at - 1] ?? '').length)).toBe(true);
  });

  browserTest('goes on by itself when its line was cut', async () => {
    const page = await openPage();
    await send(page, 'Refund A-1, $80.');
    await untilMiddle(page);
    for (const response of open) response.destroy();
    await page.getByText('The line was cut').waitFor();
    await eventually('the end', async () => (await textOf(page)).includes('for you?'));
    await isOver(page);
    expect(await textOf(page)).toBe(WHOLE);
    expect(await page.locator('article').count()).toBe(2);
  });

  browserTest('stops watching, and has the answer after a reload all the same', async () => {
    const page = await openPage();
    await send(page, 'Refund A-1, $80.');
    await untilMiddle(page);
    await page.getByRole('button', { name: 'Stop watching' }).click();
    await isOver(page);
    expect(await textOf(page)).not.toContain('for you?');
    await page.reload();
    await eventually('the end', async () => (await textOf(page).catch(() => '')).includes('for you?'));
    expect(await textOf(page)).toBe(WHOLE);
  });

  browserTest('shows what waits for a person, with the command, and what was decided', async () => {
    const page = await openPage();
    await page.setViewportSize({ width: 400, height: 800 });
    await send(page, 'Refund A-1, $240.');
    const command = page.locator('.card.open code').first();
    await command.waitFor();
    const [, question = '', run = ''] = /approve (\w+) .*--run (\S+) --data DIR/.exec(await command.innerText()) ?? [];
    await page.reload();
    await command.waitFor();
    const call = page.locator('.card', { hasText: 'A-1 · 240' }).first().locator('.state');
    expect(await call.innerText()).toBe('waits for a person');
    await rig?.client.get(run).decideApproval({ question, verdict: 'approve', by: 'anna', reason: 'fine' });
    await page.getByText('Settled by anna.').waitFor();
    await page.getByText('for you?').waitFor();
    expect(await page.locator('.card').count()).toBe(2);
    expect(await call.innerText()).toBe('done');
    // Nothing sticks out at this width.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
  });

  browserTest('carries a chat on, knows what was said before, and is usable by keyboard', async () => {
    const page = await openPage();
    // It has the focus, once it is there.
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.getByText('I can refund orders.').waitFor();
    await isOver(page);
    await page.keyboard.type('Refund A-1, $80.');
    await page.keyboard.press('Enter');
    await page.getByText('for you?').waitFor();
    expect(await page.getByRole('log').getAttribute('aria-live')).toBe('polite');
    await isOver(page);
    await page.reload();
    await page.getByText('for you?').waitFor();
    expect(await page.locator('article').count()).toBe(4);
  });
});
