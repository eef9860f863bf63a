import type { AgentClient } from '../../client/agent-client.ts';
import type { OutcomeQuestion } from '../../contracts/question.ts';
import { isSameDecision } from '../../policy/settle-key.ts';
import { isApproval } from '../../policy/weigh-leave.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findQuestion } from '../find-question.ts';
import { refuseUnknown } from '../refuse-unknown-question.ts';
import { resolvedLines } from '../screens/resolved-lines.ts';
import { clock, span } from '../screens/times.ts';
import type { Word } from '../standing-words.ts';
import { toDecision, type Decided, type ResolveInput } from '../to-decision.ts';
import { whatFollows } from '../what-follows.ts';
import { withSureClient } from '../with-client.ts';
import { signerOf } from './approve.ts';

const LOOK_MS = 5_000;

/** Settles an unknown outcome in a person's name, and says what follows from it. */
export async function resolve(cli: Cli, input: ResolveInput): Promise<ExitCode> {
  const decision = toDecision(input);
  return withSureClient(cli, async (client, config) => {
    const open = await client.questions(input.run);
    const found = findQuestion(input.question, open, input.run);
    if (found.is !== 'one') return refuseUnknown(cli, client, { ...input, open, isSame: isSameAs(input) }, found);
    const { question } = found.item;
    if (question.kind !== 'outcome') {
      const command = cli.command('approve', question.id, '--reason', '…');
      throw new Error(
        `${question.id} asks whether ${question.tool} may be called, not whether it happened.\n  ${command}`,
      );
    }
    if (decision.verdict === 'abort' && config?.deciders) {
      const command = cli.command('stop', question.run);
      throw new Error(`Where decisions are signed, "abort" does not count. To end the run:\n  ${command}`);
    }
    const signer = await signerOf(cli, config, found.item, input);
    return decide(cli, client, question, { ...decision, ...signer });
  });
}

const isSameAs = (input: ResolveInput) => (word: Word) => !isApproval(word) && isSameDecision(word, input);

async function decide(cli: Cli, client: AgentClient, question: OutcomeQuestion, decision: Decided): Promise<ExitCode> {
  const handle = client.get(question.run);
  const from = (await handle.events()).at(-1)?.offset ?? 0;
  // Bound to the arguments as they are now: should the run ask about others meanwhile, it refuses.
  const answer = await handle.resolveOutcome({ digest: question.digest, ...decision, question: question.id });
  if (answer.is === 'refused') throw new Error(`${question.id} is not settled. ${explain(answer.why, question)}`);
  const next =
    answer.is === 'applied' && answer.to === 'run' ? await whatFollows(handle, { from, withinMs: LOOK_MS }) : undefined;
  cli.answer({ question, verdict: decision.verdict, by: decision.by, ...answer, ...(next && { next }) }, resolvedLines);
  return answer.is === 'applied' ? EXIT.done : EXIT.waits;
}

/** The run speaks of its message's fields and in UTC; a person at a terminal needs the option and the local time. */
function explain(why: string, { horizon }: OutcomeQuestion): string {
  if (!why.includes('may still land')) return why;
  const now = Date.now();
  return (
    `It may still land until ${clock(horizon, now)}, and did-not-happen counts from then on: in ${span(horizon - now)}.\n` +
    '  Decide it all the same: add --override; that is recorded.'
  );
}
