import type { AgentClient } from '../client/agent-client.ts';
import type { InboxItem } from '../client/inbox.ts';
import { describeApproval } from '../policy/accept-approval.ts';
import { isApproval } from '../policy/weigh-leave.ts';
import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { findExpired } from './find-expired.ts';
import { FEWEST_LETTERS, type FoundQuestion } from './find-question.ts';
import { findRun } from './find-run.ts';
import { findStanding, type Word } from './standing-words.ts';

/** A question that is not open, as it was typed. `isSame`: whether what stands is what was to be said. */
export interface UnknownQuestion {
  readonly question: string;
  readonly run?: string | undefined;
  readonly open: readonly InboxItem[];
  readonly isSame: (word: Word) => boolean;
}

/** Says why nothing was decided: what stands already, or what may have been meant. The same decision again is fine. */
export async function refuseUnknown(
  cli: Cli,
  client: AgentClient,
  { question, run, open, isSame }: UnknownQuestion,
  { is, near }: Exclude<FoundQuestion, { is: 'one' }>,
): Promise<ExitCode> {
  const list = near.map(({ question: { id, tool, run: of } }) => `\n  ${id}  ${tool}, run ${of}`).join('');
  if (is === 'many')
    throw new Error(`"${question}" may be any of ${near.length} questions. Write more of it, or add --run.${list}`);
  if (is === 'short') {
    const open = list || ` What is open: ${cli.command('inbox')}`;
    throw new Error(
      `"${question}" is too short to name a question. Write at least ${FEWEST_LETTERS} letters of its id.${open}`,
    );
  }
  const standing = await findStanding(client, question, run);
  if (standing && isSame(standing)) {
    cli.answer({ is: 'stands', ...standing }, () => `${standing.question} stands already. ${describeWord(standing)}`);
    return EXIT.done;
  }
  if (standing)
    throw new Error(`${standing.question} is decided already. ${describeWord(standing)}\n  A decision is made once.`);
  const expired = await findExpired(client, question, open);
  if (expired) {
    const { id } = expired.now;
    const command = cli.command('approve', id, '--reason', '…');
    throw new Error(`${expired.was} has expired: nobody answered in time. It is asked again as ${id}.\n  ${command}`);
  }
  // A run that is not there has near matches of its own.
  if (run !== undefined) await findRun(cli, client, run);
  const of = run === undefined ? '' : ` of run ${run}`;
  throw new Error(
    `no open question "${question}"${of}.${list ? ` Did you mean:${list}` : ` What is open: ${cli.command('inbox')}`}`,
  );
}

function describeWord(word: Word): string {
  return isApproval(word) ? describeApproval(word) : `${word.by} decided "${word.verdict}": ${word.reason}`;
}
