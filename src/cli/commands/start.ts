import type { StartRequest } from '../../client/start-run.ts';
import type { Duration } from '../../contracts/duration.ts';
import { beginRun } from '../begin-run.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { openLiveRegion } from '../live-region.ts';
import { needAgent } from '../need-agent.ts';
import { readInput } from '../read-input.ts';
import { nextLines } from '../screens/next-lines.ts';
import { startedLines, type StartedRun } from '../screens/started-lines.ts';
import { webUrlOf } from '../web-url.ts';
import { whatFollows, type Next } from '../what-follows.ts';
import { withSureClient } from '../with-client.ts';

export interface StartInput {
  readonly agent: string;
  readonly input?: string;
  readonly run?: string;
  readonly task?: string;
  readonly deadline?: Duration;
  readonly turns?: number;
  readonly wait?: boolean;
}

/** Starts a run, or takes up the one under its id; with --wait stays until it ends or needs a person. */
export async function start(cli: Cli, input: StartInput): Promise<ExitCode> {
  const text = await readInput(input.input);
  return withSureClient(cli, async (client, config) => {
    if (config) needAgent(input.agent, config);
    const { is, handle, from } = await beginRun(client, toRequest(input, text));
    const [isServed, webUrl] = await Promise.all([client.hasWorker(), webUrlOf(cli.settings)]);
    const url = webUrl(handle.id);
    const begun: StartedRun = { run: handle.id, begun: is, isServed, ...(url !== undefined && { webUrl: url }) };
    if (!input.wait) {
      cli.answer(begun, startedLines);
      return EXIT.done;
    }
    cli.say(startedLines(begun, cli.screen()));
    const live = openLiveRegion(cli);
    const next = await whatFollows(handle, { from, note: live.note }).finally(live.end);
    cli.answer({ ...begun, ...next }, (_, screen) => nextLines(next, handle.id, screen));
    return exitFor(next);
  });
}

function toRequest({ agent, run, task, deadline, turns }: StartInput, input: string): StartRequest {
  const limits = { ...(deadline !== undefined && { deadline }), ...(turns !== undefined && { turns }) };
  return {
    agent,
    input,
    limits,
    ...(run !== undefined && { runId: run }),
    ...(task !== undefined && { taskId: task }),
  };
}

function exitFor(next: Next): ExitCode {
  if (next.is === 'asks' || next.is === 'answered') return EXIT.waits;
  return next.is === 'ended' && next.status === 'completed' ? EXIT.done : EXIT.failed;
}
