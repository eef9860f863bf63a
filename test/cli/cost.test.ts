import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CostTable } from '../../src/cli/cost-table.ts';
import { openDesk, type Desk } from './desk.ts';
import { endClis } from './run-cli.ts';

let desk: Desk;
let run: string;
beforeAll(async () => {
  desk = await openDesk();
  run = await desk.begin([{ tool: 'get_order', order: 'A' }]);
  await desk.rig.client.get(run).result();
});
afterAll(async () => {
  await endClis();
  await desk.rig.close();
});

const tableOf = async (...args: readonly string[]): Promise<CostTable> => {
  const { stdout } = await desk.run('cost', '--json', ...args);
  return JSON.parse(stdout) as CostTable;
};

describe('holdfast cost', () => {
  test('of one run, by turn; a model without a price is named and is not free', async () => {
    const { code, stdout } = await desk.run('cost', run);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^completed · agent support · started [^]*\n${run}\n\nSpent {3}\\? · 2 requests of unknown cost`),
    );
    expect(stdout).toMatch(/\nturn {2}spent [^]*\n1 {5}\? [^]*\n2 {5}\? /);
    expect(stdout).toMatch(/\? Nobody has said what \S+ costs\./);
  });

  test('of one run, by attempt, as JSON', async () => {
    const table = await tableOf(run, '--by', 'attempt');
    expect(table).toMatchObject({ by: 'attempt', run: { run, agent: 'support', status: 'completed' }, runs: 1 });
    expect(table.rows.map(({ kind, name, outcome }) => [kind, name, outcome])).toEqual([
      ['model', expect.any(String), 'success'],
      ['tool', 'get_order', 'success'],
      ['model', expect.any(String), 'success'],
    ]);
  });

  test('of all runs, by agent; the slowest first, by call', async () => {
    expect((await tableOf()).rows).toMatchObject([{ agent: 'support' }]);
    const { by, rows } = await tableOf('--slowest', '--since', '1h', '--agent', 'support');
    expect(by).toBe('call');
    expect(rows.map(({ tookMs }) => tookMs)).toEqual(rows.map(({ tookMs }) => tookMs).toSorted((a, b) => b - a));
    expect((await tableOf('--agent', 'nobody')).runs).toBe(0);
  });

  test.each<[string, readonly string[], number, string]>([
    ['a run that is not there', ['nowhere'], 1, 'there is no run "nowhere"'],
    ['a run and an agent', ['r', '--agent', 'support'], 2, '--agent and --since do not go with it'],
    ['a run and a time', ['r', '--since', '1h'], 2, '--agent and --since do not go with it'],
    ['a grouping that is none', ['--by', 'week'], 2, 'Allowed choices are agent, turn, call, attempt'],
  ])('%s is refused', async (_, args, exit, why) => {
    const { code, stderr } = await desk.run('cost', ...args);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(why)]);
  });
});
