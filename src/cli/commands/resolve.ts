import type { AgentClient } from '../../client/agent-client.ts';
import type { Question } from '../../contracts/question.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findQuestion } from '../find-question.ts';
import { refuseUnknown } from '../refuse-unknown-question.ts';
import { resolvedLines } from '../screens/resolved-lines.ts';
import { clock, span } from '../screens/times.ts';
import { toDecision, type Decided, type ResolveInput } from '../to-decision.ts';
import { whatFollows } from '../what-follows.ts';
import { withClient } from '../with-client.ts';

const LOOK_MS = 5_000;

/** Settles an unknown outcome in a person's name, and says what follows from it. */
export async function resolve(cli: Cli, input: ResolveInput): Promise<ExitCode> {
  const decision = toDecision(input);
  return withClient(cli, async (client) => {
    const found = findQuestion(input.question, await client.questions(), input.run);
    if (found.is !== 'one') return refuseUnknown(cli, client, input, found);
    return decide(cli, client, found.item.question, decision);
  });
}

async function decide(cli: Cli, client: AgentClient, question: Question, decision: Decided): Promise<ExitCode> {
  const handle = client.get(question.run);
  const from = (await handle.events()).at(-1)?.offset ?? 0;
  // Bound to the arguments as they are now: should the run ask about others meanwhile, it refuses.
  const answer = await handle.resolveOutcome({ digest: question.digest, ...decision, question: question.id });
  if (answer.is === 'refused') throw new Error(`${question.id} is not settled. ${explain(answer.why, question)}`);
  const next =
    answer.is === 'applied' && answer.to === 'run' ? await whatFollows(handle, { from, withinMs: LOOK_MS }) : undefined;
  cli.answer({ question, verdict: decision.verdict, ...answer, ...(next && { next }) }, resolvedLines);
  return EXIT.done;
}

/** The run speaks of its message's fields and in UTC; a person at a terminal needs the option and the local time. */
function explain(why: string, question: Question): string {
  if (question.kind !== 'outcome' || !why.includes('may still land')) return why;
  const { horizon } = question;
  const now = Date.now();
  return (
    `It may still land until ${clock(horizon, now)}, and did-not-happen counts from then on: in ${span(horizon - now)}.\n` +
    '  Decide it all the same: add --override; that is recorded.'
  );
}
