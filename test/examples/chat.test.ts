import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { testNeeding } from '../support/test-needing.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

let folder = '';
let stop: () => Promise<number> = () => Promise.resolve(0);
afterEach(async () => {
  await stop();
  stop = () => Promise.resolve(0);
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** `npm run chat`, and the address of the page it prints. */
async function startChat(): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-chat-test-'));
  const child = spawn(process.execPath, ['examples/chat/chat.ts', '--data', folder], { cwd: root });
  const gone = once(child, 'close');
  stop = async () => {
    child.kill('SIGINT');
    return Number((await gone)[0]);
  };
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return eventually('the address of the page', () => /page +(http:\S+)/.exec(said)?.[1], 60_000);
}

testNeeding(CHROMIUM)(
  'npm run chat: a refund that waits for a person, decided with the command that the page shows',
  async () => {
    const url = await startChat();
    const browser = await chromium.launch({
      executablePath: CHROMIUM.path ?? '',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(url);
      await page.getByLabel('Message', { exact: true }).fill('Refund A-1, $80 and A-2, $240.');
      await page.keyboard.press('Enter');
      const shown = await page.locator('.card.open code').first().innerText();
      const words = shown.replace('npx holdfast ', '').replace('…', 'checked');
      await run('/bin/sh', ['-c', `"${process.execPath}" bin/holdfast.js ${words}`], { cwd: root });
      await page.getByText('for you?').waitFor();
      await page.getByRole('button', { name: 'Send' }).waitFor();
      const told = await page.locator('article.assistant p').allInnerTexts();
      expect(told.join('\n')).toMatch(/Order A-1 is refunded: \$80 .* Order A-2 is refunded: \$240 /);
    } finally {
      await browser.close();
    }
    expect(await stop()).toBe(0);
  },
);

test('npm run chat -- --help says how it is called, and what cannot be meant is refused', async () => {
  const chat = (...words: string[]) => run(process.execPath, ['examples/chat/chat.ts', ...words], { cwd: root });
  expect((await chat('--help')).stdout).toMatch(/^Usage: npm run chat/);
  await expect(chat('--port', 'x')).rejects.toMatchObject({ code: 2, stdout: expect.stringContaining('--port x') });
});
