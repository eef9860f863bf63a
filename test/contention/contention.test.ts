import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { CONTENTION_DEFAULTS, playContention, type ContentionReport } from '../../src/testing/contention.ts';
import { compareContention } from '../../src/testing/contention-table.ts';

const saved = JSON.parse(await readFile(new URL('./golden.json', import.meta.url), 'utf8')) as ContentionReport;

describe('contention', () => {
  test('is the saved copy, figure by figure', () => {
    expect(compareContention(saved, playContention(CONTENTION_DEFAULTS))).toEqual([]);
  });

  test('at a full provider comes to the figures of the book chapter, as exactly as it prints them', () => {
    const printed = saved.crowd.map(({ wait, requestsPerClient, seconds }) => [
      wait,
      Number(requestsPerClient.toFixed(1)),
      Number(seconds.toFixed(1)),
    ]);
    expect(printed).toEqual([
      ['fixed', 46, 0.9],
      ['exponential', 5.5, 11.1],
      ['full', 4.1, 2],
      ['equal', 3.9, 2.4],
      ['decorrelated', 2.8, 1.8],
    ]);
  });

  test('over one row comes within 10 % of AWS’ figures, in their order', () => {
    const stated = { none: 2421, exponential: 1853, decorrelated: 1002, equal: 812, full: 797 };
    expect(saved.row.map(({ wait }) => wait)).toEqual(Object.keys(stated));
    for (const [at, figure] of Object.values(stated).entries()) {
      expect(Math.abs(saved.row[at]!.calls / figure - 1)).toBeLessThan(0.1);
    }
    const calls = saved.row.map((one) => one.calls);
    expect(calls).toEqual([...calls].sort((a, b) => b - a));
  });

  test('a difference is named with both figures', () => {
    const other = { ...saved, row: saved.row.map((one) => (one.wait === 'full' ? { ...one, calls: 1 } : one)) };
    const was = saved.row.find(({ wait }) => wait === 'full')!.calls;
    expect(compareContention(saved, other)).toEqual([`row, full: calls: ${was} in the saved copy, now 1`]);
  });
});

describe('npm run contention', () => {
  const run = async (...args: string[]) => {
    const ended = promisify(execFile)(process.execPath, ['scripts/contention.ts', ...args]);
    return ended.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: unknown) => error as { code: number; stdout: string; stderr: string },
    );
  };

  test('prints other sizes as data alone, and says that they have no saved copy', async () => {
    const { code, stdout, stderr } = await run('--clients', '20', '--admit', '5', '--seeds', '2', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      clients: 20,
      admit: 5,
      seeds: 2,
      crowd: [{ wait: 'fixed' }, {}, {}, {}, {}],
    });
    expect(stderr).toContain('Not compared: the saved copy is of --clients 100 --admit 10 --seeds 200.');
  });

  test.each([
    [['--clinets', '4'], 'There is no option --clinets. Did you mean "--clients"?'],
    [['--seeds', '0'], '--seeds is "0": give a whole number from 1 to 10,000.'],
    [['--admit', 'many'], '--admit is "many": give a whole number from 1 to 10,000.'],
    [['--clients'], '--clients is nothing: give a whole number from 1 to 2,000.'],
    [['7'], '"7" is no option.'],
  ])('%p is refused with what to give', async (args, words) => {
    const { code, stderr, stdout } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).toContain('Usage: npm run contention');
    expect(stdout).toBe('');
  });
});
