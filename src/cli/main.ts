import { CommanderError } from 'commander';
import { buildProgram } from './build-program.ts';
import { openCli, openTolerantCli } from './cli.ts';
import type { CommandRow } from './command-row.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { GlobalFlags } from './global-flags.ts';
import { readOwnPackage } from './own-package.ts';
import type { Place } from './printed-command.ts';
import { describeError, exitCodeOf } from './report-error.ts';

/** Runs one command line, without `node` and the script, and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // Whoever reads us may stop early: `holdfast ls | head`.
  process.stdout.on('error', () => process.exit(EXIT.done));
  const code = await runCommandLine(argv.length === 0 ? ['--help'] : argv);
  // A configuration may leave timers and connections open; what was said must still arrive.
  process.stdout.write('', () => process.exit(code));
}

async function runCommandLine(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const program = buildProgram(readOwnPackage().version, async (row, input, flags) => {
    code = await callCommand(row, input, flags);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

async function callCommand(row: CommandRow<never>, input: never, flags: GlobalFlags): Promise<ExitCode> {
  let place: Place = { home: [], server: [] };
  try {
    const cli = row.isTolerant ? openTolerantCli(flags) : openCli(flags);
    place = cli.place;
    const command = await row.load();
    return await command(cli, input);
  } catch (error) {
    process.stderr.write(`${describeError(error, flags, place)}\n`);
    return exitCodeOf(error);
  }
}
