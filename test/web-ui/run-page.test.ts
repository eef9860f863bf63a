import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { CHROMIUM } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell } from '../support/rules.ts';
import { testNeeding } from '../support/test-needing.ts';

let rig: Rig | undefined;
let browser: Browser | undefined;
let profile = '';
afterEach(async () => {
  await browser?.close();
  await rig?.close();
  if (profile) await rm(profile, { recursive: true, force: true });
});

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

async function openPage(executablePath: string, url: string): Promise<Page> {
  browser = await chromium.launch({ executablePath, args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await page.goto(url);
  return page;
}

testNeeding(CHROMIUM)(
  'the Web UI tells the story of a run: summaries in the timeline, and in the details what waits and how to decide',
  async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ order: z.string() }),
      timeout: '1s',
      intent: ({ order }) => `pay:${order}`,
      execute: () => Promise.reject(new Error('connection reset')),
    });
    rig = await openRig({
      model: scriptedModel(askThenTell([{ tool: 'pay', input: { order: 'A-1' } }])),
      tools: [pay],
    });
    const run = await rig.client.start({ agent: 'tester', input: 'Pay order A-1.' });
    const question = await eventually('a question', async () => (await run.state())?.questions[0]);
    profile = await mkdtemp(join(tmpdir(), 'holdfast-browser-'));
    const page = await openPage(
      CHROMIUM.path ?? '',
      `${process.env['HOLDFAST_TEST_UI'] ?? ''}/namespaces/default/workflows/${run.id}`,
    );
    await page.getByText('pay · pay:A-1').first().waitFor();
    await page.getByText('turn 1 · model').first().waitFor();
    await page.getByText('waiting for news or a person').first().waitFor();
    await page.getByText('User Metadata').click();
    const details = await eventually('summary and details', async () => {
      // The Web UI renders Markdown in frames of its own.
      const texts = await Promise.all(
        page.frames().map((frame) =>
          frame
            .locator('body')
            .innerText()
            .catch(() => ''),
        ),
      );
      const text = texts.join('\n');
      return text.includes('tester · Pay order A-1.') && text.includes('VERDICT') && text;
    });
    expect(details).toContain('pay may or may not have happened');
    expect(details).toContain(`npx holdfast resolve ${question.id} VERDICT`);
    expect(details).toContain('connection reset');
    expect(details).toMatch(/"verdict": ""/);
    await page.screenshot({ path: process.env['HOLDFAST_TEST_SCREENSHOT'] ?? join(profile, 'page.png') });
    await page.getByText('Search Attributes').click();
    await page.getByText('HoldfastWaitingFor').waitFor();
  },
);
