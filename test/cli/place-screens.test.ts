import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { devEnd, devScreen } from '../../src/cli/screens/dev-screen.ts';
import { setupScreen } from '../../src/cli/screens/setup-screen.ts';
import { toolsScreen } from '../../src/cli/screens/tools-screen.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { describeTool } from '../../src/policy/describe-tool.ts';
import { plainScreen } from './plain-screen.ts';

const screen = plainScreen();
const text = (...lines: readonly string[]): string => lines.join('\n');

describe('the tools', () => {
  const base = { description: 'It is tested.', input: z.object({ id: z.string() }), execute: () => Promise.resolve(1) };
  const rowOf = (definition: object) => {
    const tool = defineTool({ ...base, name: 'x', timeout: '5s', ...definition });
    return { ...describeTool(tool), namesIntent: tool.intent !== undefined };
  };
  const tools = [
    rowOf({ name: 'get_order', readOnly: true }),
    rowOf({ name: 'refund', timeout: '30s', intent: () => 'refund:1' }),
    rowOf({ name: 'label', idempotent: true }),
  ];

  test('show for each flag what a failure leads to, attempts and times, within 80 columns', () => {
    const shown = toolsScreen([{ agent: 'support', version: '2', model: 'maker/thinker', tools }], screen);
    expect(shown).toBe(
      text(
        'support · version 2 · maker/thinker',
        'tool       flags       a time-out       a 429            a lost worker',
        'get_order  read-only   tried again      waits, again     tried again',
        'refund     none        outcome unknown  waits, again **  outcome unknown',
        'label      idempotent  again, same key  waits, again     again, same key',
        '',
        'tool       attempts  one takes up to  all up to   may land for',
        'get_order  4         5 s              3 min 58 s  -',
        'refund     1 *       30 s             5 min 38 s  10 min',
        'label      4         5 s              3 min 58 s  10 min',
        '',
        '  *  up to 4 where an attempt provably did nothing: not sent, refused, or',
        '     NotExecuted',
        '  ** seen through ctx.fetch; found in any other error: outcome unknown',
        '  Waits between attempts are random, up to 500 ms, doubling up to 10 s; or as',
        '     long as the receiver asks, in the worker up to 1 min, else on a durable',
        '     timer.',
        '  Outcome unknown: nothing is sent again. Late news, the ledger or a person',
        '     settles it.',
        '  No named intent: label. An equal call later in the run is a new action.',
        '     Name the action with intent(input) to have it done once.',
      ),
    );
  });

  test('that look up what became of a call say so', () => {
    const confirm = () => Promise.resolve({ is: 'cannot-tell' });
    const looking = rowOf({ name: 'pay', intent: () => 'pay:1', confirm });
    const shown = toolsScreen([{ agent: 'a', version: '1', model: 'm', tools: [looking] }], screen);
    expect(shown).toMatch(/^pay +none +look-up, person +waits, again \*\* +look-up, person$/m);
    expect(shown).toMatch(/Look-up, person: nothing is sent again\./);
    expect(shown).not.toContain('Outcome unknown:');
  });

  test('have no footnotes that explain nothing', () => {
    const shown = toolsScreen([{ agent: 'a', version: '1', model: 'm', tools: tools.slice(0, 1) }], screen);
    expect(shown).not.toMatch(/\*|Outcome unknown|No named intent/);
  });

  test('of an agent without any are said to be none', () => {
    expect(toolsScreen([{ agent: 'a', version: '1', model: 'm', tools: [] }], screen)).toContain('It has no tools.');
  });
});

describe('setup', () => {
  const there = { is: 'already-there' } as const;
  const all = {
    HoldfastAgent: there,
    HoldfastTaskId: there,
    HoldfastStatus: there,
    HoldfastWaitingFor: there,
    HoldfastSpendMicros: there,
  };

  test('tells of each attribute', () => {
    const attributes = { ...all, HoldfastAgent: { is: 'created' } as const };
    expect(setupScreen({ address: 'a:1', namespace: 'n', attributes }, screen)).toBe(
      text(
        'Search attributes at a:1, namespace n',
        '  HoldfastAgent        Keyword      created',
        '  HoldfastTaskId       Keyword      already there',
        '  HoldfastStatus       Keyword      already there',
        '  HoldfastWaitingFor   KeywordList  already there',
        '  HoldfastSpendMicros  Int          already there',
        'Ready: lists can be filtered.',
      ),
    );
  });

  test('without the right says what is missing so long, and what an administrator would run', () => {
    const attributes = { ...all, HoldfastStatus: { is: 'no-permission', why: 'not allowed' } as const };
    expect(setupScreen({ address: 'a:1', namespace: 'n', attributes }, screen).split('\n').slice(3)).toEqual([
      '  HoldfastStatus       Keyword      no permission (not allowed)',
      '  HoldfastWaitingFor   KeywordList  already there',
      '  HoldfastSpendMicros  Int          already there',
      'Runs work without them. What is missing so long: filter by status. Ask an',
      'administrator of the server for:',
      '    temporal operator search-attribute create --namespace n --name HoldfastStatus --type Keyword',
    ]);
  });
});

describe('dev', () => {
  const started = {
    is: 'started',
    address: '127.0.0.1:1',
    uiUrl: 'http://127.0.0.1:2',
    pid: 7,
    version: '1.9.1',
  } as const;
  const joined = { ...started, is: 'joined' } as const;
  const worker = { agents: ['support', 'billing'], taskQueue: 'holdfast' };

  test('says where things are and what to try next', () => {
    expect(devScreen({ server: started, worker, tookMs: 1_100 }, screen)).toBe(
      text(
        'ready in 1.1 s',
        '',
        '  Web UI  http://127.0.0.1:2',
        '  Server  127.0.0.1:1 · Temporal CLI 1.9.1',
        '  Worker  agents support, billing · task queue holdfast',
        '',
        'Try in another terminal:',
        "  npx holdfast start support --input '…'",
        '  npx holdfast inbox',
        '',
        'Ctrl-C ends server and worker. Runs are kept and go on with the next dev.',
      ),
    );
  });

  test.each([
    ['a joined server', { server: joined, worker, tookMs: 5 }, '127.0.0.1:1 · joined, process 7 runs it already'],
    [
      'that the server outlives a worker that joined',
      { server: joined, worker, tookMs: 5 },
      'The server goes on; runs then wait for a worker.',
    ],
    ['that there is no worker', { server: started, tookMs: 5 }, 'none: no holdfast.config.ts here'],
    [
      'a server that is not ours',
      { server: { is: 'external', address: 'x:7233', namespace: 'n' } as const, worker, tookMs: 5 },
      'x:7233 · namespace n',
    ],
  ])('tells of %s', (_, report, expected) => {
    expect(devScreen(report, screen)).toContain(expected);
  });

  test.each([
    [
      'both',
      { server: started, hadWorker: true },
      'Ended: server and worker. Runs are kept and go on with:\n  npx holdfast dev',
    ],
    [
      'only the worker',
      { server: joined, hadWorker: true },
      'Ended: worker. The server goes on; runs wait for a worker:\n  npx holdfast dev',
    ],
  ])('that ends %s says what goes on', (_, end, expected) => {
    expect(devEnd(end, screen)).toBe(expected);
  });
});
