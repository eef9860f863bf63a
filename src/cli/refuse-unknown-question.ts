import { isSameDecision } from '../policy/settle-key.ts';
import type { AgentClient } from '../client/agent-client.ts';
import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { FoundQuestion } from './find-question.ts';
import type { ResolveInput } from './to-decision.ts';

/** Says why nothing was decided: what stands already, or what may have been meant. The same decision again is fine. */
export async function refuseUnknown(
  cli: Cli,
  client: AgentClient,
  input: ResolveInput,
  { is, near }: Exclude<FoundQuestion, { is: 'one' }>,
): Promise<ExitCode> {
  const { question, run } = input;
  const open = near.map(({ question: { id, tool, run: of } }) => `\n  ${id}  ${tool}, run ${of}`).join('');
  if (is === 'many')
    throw new Error(`"${question}" may be any of ${near.length} questions. Write more of it, or add --run.${open}`);
  const standing = await findStanding(client, question, run);
  if (standing && isSameDecision(standing, input)) {
    cli.answer(
      { is: 'stands', ...standing },
      () => `${standing.question} stands already: ${standing.verdict}, decided by ${standing.by}.`,
    );
    return EXIT.done;
  }
  if (standing) {
    const { question: id, by, reason } = standing;
    throw new Error(
      `${id} is settled already: ${by} decided "${standing.verdict}" (${reason}). A decision is made once.`,
    );
  }
  throw new Error(
    `no open question "${question}"${run === undefined ? '' : ` of run ${run}`}.${open ? ` Did you mean:${open}` : ` What is open: ${cli.command('inbox')}`}`,
  );
}

async function findStanding(client: AgentClient, question: string, run: string | undefined) {
  const records = await client.ledger(run === undefined ? {} : { run });
  const settled = records.flatMap((record) => (record.is === 'settled' ? [record.decision] : []));
  return settled.findLast((decision) => decision.question === question);
}
