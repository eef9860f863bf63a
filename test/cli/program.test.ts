import { expect, test } from '@jest/globals';
import { buildProgram } from '../../src/cli/build-program.ts';
import { COMMANDS } from '../../src/cli/commands.ts';

interface Heard {
  readonly name: string;
  readonly input: unknown;
  readonly flags: unknown;
}

/** Parses a command line, and gives what would be called, or what would be said instead. */
async function parse(...argv: readonly string[]): Promise<Heard | { readonly said: string }> {
  let heard: Heard | undefined;
  let said = '';
  const program = buildProgram('1.2.3', ({ name }, input, flags) => {
    heard = { name, input, flags };
    return Promise.resolve();
  });
  const write = (text: string) => {
    said += text;
  };
  for (const command of [program, ...program.commands]) command.configureOutput({ writeOut: write, writeErr: write });
  await program.parseAsync(argv, { from: 'user' }).catch(() => undefined);
  return heard ?? { said };
}

test.each(COMMANDS.map(({ name, example }) => [name, example] as const))(
  '%s has help with its options and an example that is a command line',
  async (name, example) => {
    const help = await parse(name, '--help');
    expect(help).toEqual({ said: expect.stringContaining(`Example:\n  npx holdfast ${example}`) as unknown });
    expect(help).toEqual({ said: expect.stringContaining('--json') as unknown });
    const words = [...example.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
    expect(await parse(...words)).toMatchObject({ name });
  },
);

test('every command loads', async () => {
  for (const { load } of COMMANDS) expect(await load()).toBeInstanceOf(Function);
});

test('arguments and options come under their names, global ones wherever they stand', async () => {
  expect(
    await parse('--data', 'd', 'resolve', 'q1', 'happened', '--result', '{"a":1}', '--reason', 'seen', '--json'),
  ).toEqual({
    name: 'resolve',
    input: { question: 'q1', verdict: 'happened', result: { a: 1 }, reason: 'seen' },
    flags: { data: 'd', json: true },
  });
  expect(await parse('tools')).toEqual({ name: 'tools', input: {}, flags: {} });
  expect(await parse('tools', 'support')).toMatchObject({ input: { agent: 'support' } });
  expect(await parse('dev', '--ui-port', '8233')).toMatchObject({ input: { uiPort: 8233 } });
});

test.each([
  ['an unknown command, with a near one', ['strat'], "holdfast: unknown command 'strat'\n(Did you mean start?)"],
  ['a missing argument', ['show'], "holdfast: missing required argument 'run'\n  See: npx holdfast show --help"],
  ['an unknown option', ['ls', '--foo'], "holdfast: unknown option '--foo'"],
  [
    'a verdict that is none',
    ['resolve', 'q', 'maybe'],
    'Allowed choices are happened, did-not-happen, reversed, abort.',
  ],
  ['a number that is none', ['ls', '--limit', '0'], 'Write a whole number from 1.'],
  ['an event that is none', ['watch', 'r', '--from', '-1'], 'Write a whole number from 0.'],
  ['a port that is none', ['dev', '--port', '70000'], 'Write a port, 1 to 65535.'],
  ['a time without a unit', ['start', 'a', '--deadline', '10'], "Write a number with a unit: '30s'"],
  ['a result that is no JSON', ['resolve', 'q', 'happened', '--result', 'yes'], 'That is not JSON.'],
  ['the dots of a command that was pasted unread', ['resolve', 'q', 'happened', '--result', '…'], 'That is not JSON.'],
  ['the dots in place of a reason', ['resolve', 'q', 'abort', '--reason', '…'], 'Write your own words in its place.'],
])('%s is refused', async (_, argv, why) => {
  expect(await parse(...argv)).toEqual({ said: expect.stringContaining(why) as unknown });
});
