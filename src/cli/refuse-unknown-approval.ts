import type { AgentClient } from '../client/agent-client.ts';
import type { DecideApproval } from '../contracts/messages.ts';
import { describeApproval } from '../policy/accept-approval.ts';
import { isApproval } from '../policy/weigh-leave.ts';
import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { FoundQuestion } from './find-question.ts';

interface Asked {
  readonly question: string;
  readonly run?: string;
  readonly verdict: DecideApproval['verdict'];
}

/** Says why nothing was decided: what stands already, or what may have been meant. The same word again is fine. */
export async function refuseUnknownApproval(
  cli: Cli,
  client: AgentClient,
  { question, run, verdict }: Asked,
  { is, near }: Exclude<FoundQuestion, { is: 'one' }>,
): Promise<ExitCode> {
  const open = near.map(({ question: { id, tool, run: of } }) => `\n  ${id}  ${tool}, run ${of}`).join('');
  if (is === 'many')
    throw new Error(`"${question}" may be any of ${near.length} questions. Write more of it, or add --run.${open}`);
  const standing = await findStanding(client, question, run);
  if (standing?.verdict === verdict) {
    cli.answer(
      { is: 'stands', ...standing },
      () => `${standing.question} stands already. ${describeApproval(standing)}`,
    );
    return EXIT.done;
  }
  if (standing) throw new Error(`${standing.question} is decided already. ${describeApproval(standing)}`);
  throw new Error(
    `no open question "${question}"${run === undefined ? '' : ` of run ${run}`}.${open ? ` Did you mean:${open}` : ` What is open: ${cli.command('inbox')}`}`,
  );
}

async function findStanding(client: AgentClient, question: string, run: string | undefined) {
  const records = await client.ledger(run === undefined ? {} : { run });
  const words = records.flatMap((record) =>
    record.is === 'decided' && isApproval(record.decision) ? [record.decision] : [],
  );
  return words.findLast((word) => word.question === question);
}
