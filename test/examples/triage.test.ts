import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readCrash } from '../../examples/triage/crash.ts';
import { countTracker } from '../../examples/triage/tracker.ts';
import { eventually } from '../support/eventually.ts';

const run = promisify(execFile);
const TRIAGE = fileURLToPath(new URL('../../examples/triage/triage.ts', import.meta.url));
const SHIPPED = fileURLToPath(new URL('../../examples/triage/reports/', import.meta.url));

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-triage-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Count {
  readonly reports: number;
  readonly groups: number;
  readonly issuesCreated: number;
  readonly issuesTwice: number;
  readonly labels: number;
  readonly unknowns: number;
}

const lastLine = (text: string) => JSON.parse(text.trim().split('\n').at(-1) ?? '') as Count;

async function triage(...words: readonly string[]): Promise<Count> {
  return lastLine((await run(process.execPath, [TRIAGE, ...words, '--json'])).stdout);
}

describe('triage', () => {
  test('files one issue for each crash of the shipped reports, labelled; a second run over the same tracker files none', async () => {
    const data = join(folder, 'data');
    const expected = { reports: 12, groups: 7, issuesTwice: 0, labels: 14, unknowns: 0 };
    expect(await triage(SHIPPED, '--data', data)).toMatchObject({ ...expected, issuesCreated: 7 });
    expect(await triage(SHIPPED, '--data', data)).toMatchObject({ ...expected, issuesCreated: 0 });
    expect(countTracker(join(data, 'tracker.db')).issues).toHaveLength(7);
  });

  test('two new files with one top frame make one issue; a file nobody can parse makes one too', async () => {
    const reports = join(folder, 'reports');
    await mkdir(reports);
    const trace = (line: number) =>
      `RangeError: too deep\n    at walk (/app/tree/walk.js:${line}:3)\n    at main (/app/main.js:1:1)\n`;
    await writeFile(join(reports, 'a.log'), trace(12));
    await writeFile(join(reports, 'b.txt'), `2026-11-11 ERROR\n${trace(99)}`);
    await writeFile(join(reports, 'c.bin'), Buffer.from([0, 255, 1, 2, 254, 10]));
    await writeFile(join(reports, 'empty'), '');
    await writeFile(join(reports, 'ünï çødé.log'), trace(7));
    expect(await triage(reports)).toMatchObject({ reports: 5, groups: 3, issuesCreated: 3, issuesTwice: 0 });
  });

  test('an empty folder is done at once', async () => {
    expect(await triage(folder)).toMatchObject({ reports: 0, groups: 0, issuesCreated: 0 });
  });

  test.each([
    [['/no/such/folder'], 'there is no folder "/no/such/folder"'],
    [[TRIAGE], 'is a file'],
    [['.', '--model', 'gpt'], '--model gpt'],
    [['.', '--slow', 'very'], '--slow very'],
  ])('refuses %j and says why', async (words, message) => {
    await expect(run(process.execPath, [TRIAGE, ...words])).rejects.toMatchObject({
      code: 2,
      stdout: expect.stringContaining(message),
    });
  });
});

test('a worker killed with -9 while it reads, while it files and while it labels changes nothing in the tracker at the end', async () => {
  const data = join(folder, 'data');
  const reports = join(folder, 'reports');
  await mkdir(reports);
  for (const file of [
    '2026-11-02-importer.txt',
    '2026-11-07-gateway.log',
    '2026-11-04-mailer.log',
    '2026-11-09-importer.txt',
  ]) {
    await copyFile(join(SHIPPED, file), join(reports, file));
  }
  const child = spawn(process.execPath, [TRIAGE, reports, '--data', data, '--slow', '400', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close');
  const pids = () => [...said.matchAll(/worker {6}process (\d+)/g)].map(([, pid]) => Number(pid));
  const killWhen = async (what: string, isSo: () => boolean) => {
    const before = pids().length;
    await eventually(what, isSo, 60_000);
    process.kill(pids().at(-1) ?? 0, 'SIGKILL');
    await eventually('the next worker', () => pids().length > before, 30_000);
  };
  const tracker = () => {
    try {
      return countTracker(join(data, 'tracker.db'));
    } catch {
      // Not there yet.
      return { issues: [], labels: 0 };
    }
  };
  await killWhen('the first report', () => said.includes('list_reports'));
  await killWhen('the first issue', () => tracker().issues.length > 0);
  await killWhen('the first label', () => tracker().labels > 0);
  expect(await ended).toEqual([0, null]);
  expect(lastLine(said)).toMatchObject({ reports: 4, groups: 3, issuesTwice: 0, labels: 6 });
  expect(
    tracker()
      .issues.map(({ crash }) => crash)
      .sort(),
  ).toEqual([
    'go:panic-assignment-to-entry-in-nil-map@github.com/shop/gateway/internal/limit.(*Bucket).Take',
    'node:Error@sendReceipt(smtp/send.js)',
    'python:KeyError@normalise(importer/normalise.py)',
  ]);
}, 180_000);

test('a tracker killed with -9 while it files is started again, and no issue is there twice', async () => {
  const data = join(folder, 'data');
  const child = spawn(process.execPath, [TRIAGE, SHIPPED, '--data', data, '--slow', '500', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close');
  await eventually('the first search', () => said.includes('search_issues'), 60_000);
  // By its own database's name: other trackers may be running.
  await run('pkill', ['-9', '-f', `tracker.process.ts.*${folder}`]);
  expect(await ended).toEqual([0, null]);
  expect(said).toContain('the tracker is gone; starting it again');
  expect(lastLine(said)).toMatchObject({ reports: 12, groups: 7, issuesCreated: 7, issuesTwice: 0, labels: 14 });
}, 180_000);

describe('a crash', () => {
  const id = (text: string) => readCrash(text).id;
  test('is the same whatever the lines, addresses, values and times', () => {
    const go = (line: number, address: string) =>
      `panic: boom\n\ngoroutine ${line} [running]:\nmain.work(${address})\n\t/src/main.go:${line} +0x1d\n`;
    expect(id(go(10, '0xc0001'))).toBe(id(go(99, '0xfe')));
  });

  test.each([
    ['another function', 'TypeError: x\n    at a (/f.js:1:1)', 'TypeError: x\n    at b (/f.js:1:1)'],
    ['another kind of error', 'TypeError: x\n    at a (/f.js:1:1)', 'RangeError: x\n    at a (/f.js:1:1)'],
    ['another file', 'TypeError: x\n    at a (/f.js:1:1)', 'TypeError: x\n    at a (/g.js:1:1)'],
  ])('with %s is another one', (_, one, other) => {
    expect(id(one)).not.toBe(id(other));
  });

  test.each([
    [
      '.NET',
      'Unhandled exception. System.NullReferenceException: x\n   at Shop.Cart.AddItem(Int32 id) in /src/Cart.cs:line 12\n   at System.Threading.Run()',
      'dotnet:NullReferenceException@Shop.Cart.AddItem',
    ],
    [
      'Rust',
      "thread 'main' panicked at src/main.rs:10:5:\nindex out of bounds\nstack backtrace:\n   0: rust_begin_unwind\n   1: app::render_page\n             at ./src/main.rs:10:5\n",
      'rust:panic@app::render_page',
    ],
    [
      'an address sanitizer',
      '==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\n    #0 0x4f in parse_header /src/http.c:88:3\n',
      'native:heap-use-after-free@parse_header',
    ],
    [
      'Go with CRLF',
      'panic: boom\r\n\r\ngoroutine 1 [running]:\r\nmain.work(...)\r\n\t/src/main.go:3\r\n',
      'go:panic-boom@main.work',
    ],
    [
      'a Java constructor',
      'java.lang.IllegalStateException: x\n\tat app//com.acme.Config.<init>(Config.java:3)\n',
      'java:IllegalStateException@com.acme.Config.<init>',
    ],
    [
      'a Python syntax error',
      'Traceback (most recent call last):\n  File "/app/main.py", line 1, in <module>\n    import users\n  File "/app/users.py", line 4\n    def x(\nSyntaxError: bad\n',
      'python:SyntaxError@<module>(app/users.py)',
    ],
    [
      'Firefox',
      'TypeError: t is null\nonClick@https://shop.example/app.js:1:20\n',
      'node:TypeError@onClick(shop.example/app.js)',
    ],
    [
      'Ruby',
      "/app/orders/checkout.rb:12:in 'charge': undefined method (NoMethodError)\n",
      'ruby:NoMethodError@charge(orders/checkout.rb)',
    ],
  ])('of %s is told by its innermost own function', (_, text, expected) => {
    expect(id(text)).toBe(expected);
  });

  test('a rejection, a thrown string and an empty file are read too', () => {
    expect(readCrash('').language).toBe('unknown');
    expect(readCrash('Segmentation fault (core dumped)\n').message).toContain('Segmentation fault');
    expect(id('Error 17 at 0xbeef')).toBe(id('Error 18 at 0xdead'));
  });
});
