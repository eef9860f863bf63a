import { Argument, Command, Option } from 'commander';
import type { CommandRow, OptionRow } from './command-row.ts';
import { COMMANDS } from './commands.ts';
import type { GlobalFlags } from './global-flags.ts';

/** Called with the command that was asked for, and its arguments and options by name. */
export type OnCommand = (row: CommandRow<never>, input: never, flags: GlobalFlags) => Promise<void>;

const GLOBAL_OPTIONS: readonly OptionRow[] = [
  ['--data <dir>', 'data folder (default: .holdfast)'],
  ['--config <file>', 'configuration (default: holdfast.config.ts)'],
  ['--address <host:port>', "a Temporal server, not the data folder's own"],
  ['--namespace <name>', 'its namespace (default: default)'],
  ['--profile <name>', "a profile of Temporal's configuration file"],
  ['--json', 'answer as JSON'],
  ['--verbose', 'show where an error came from'],
];

const INTRO = 'Holdfast runs agents on Temporal so that nothing they do is done twice on a guess.';
const ENDING = `
Environment: HOLDFAST_DATA, and Temporal's own, such as TEMPORAL_ADDRESS
Ends with:   0 done · 1 failed, or a finding · 2 wrong usage
             3 a person has to decide · 4 no server reached
Begin with:  npx holdfast dev`;

/** Makes the table of commands a program. Its `parseAsync` throws CommanderError instead of ending the process. */
export function buildProgram(version: string, onCommand: OnCommand): Command {
  const program = new Command('npx holdfast')
    .usage('<command> [options]')
    .description(INTRO)
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
    .helpCommand('help [command]', 'show help for a command')
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'holdfast: '));
      },
    })
    .exitOverride()
    .showHelpAfterError('  See: npx holdfast --help')
    .addHelpText('after', ENDING);
  for (const option of GLOBAL_OPTIONS) program.addOption(toOption(option));
  for (const row of COMMANDS) addCommand(program, row, onCommand);
  return program;
}

/** Options are for the command's own help. */
function termOf(command: Command): string {
  const all = command.registeredArguments.map((argument) => {
    return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
  });
  return [command.name(), ...all].join(' ');
}

function addCommand(program: Command, row: CommandRow<never>, onCommand: OnCommand): void {
  const { name, help, example } = row;
  const command = program
    .command(name)
    .description(help)
    .helpOption('-h, --help', 'show help')
    .showHelpAfterError(`  See: npx holdfast ${name} --help`)
    .addHelpText('after', `\nExample:\n  npx holdfast ${example}`);
  for (const argument of row.arguments) command.addArgument(toArgument(argument));
  for (const option of row.options) command.addOption(toOption(option));
  command.action(async () => {
    const given = command.registeredArguments.slice(0, command.args.length);
    const named = given.map((argument, at) => [argument.name(), command.args[at]]);
    const input: unknown = { ...command.opts<object>(), ...Object.fromEntries(named) };
    // Commander has filled in what the row declares, and refused what it does not.
    await onCommand(row, input as never, program.opts());
  });
}

function toArgument([name, help, choices]: CommandRow<never>['arguments'][number]): Argument {
  const argument = new Argument(name, help);
  return choices ? argument.choices(choices) : argument;
}

function toOption([flags, help, rule]: OptionRow): Option {
  const option = new Option(flags, help);
  if (typeof rule === 'function') return option.argParser(rule);
  return rule ? option.choices(rule) : option;
}
