import type { AgentClient } from '../../client/agent-client.ts';
import type { InboxItem } from '../../client/inbox.ts';
import type { ApprovalInput } from '../../client/run-handle.ts';
import type { Config } from '../../contracts/agent.ts';
import type { ApprovalRule } from '../../contracts/approval.ts';
import type { DecideApproval } from '../../contracts/messages.ts';
import type { ApprovalQuestion } from '../../contracts/question.ts';
import { isSameApproval } from '../../policy/accept-approval.ts';
import { isSameRule, ruleOfWord } from '../../policy/rule-of-word.ts';
import { isApproval } from '../../policy/weigh-leave.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findQuestion } from '../find-question.ts';
import { findSigner } from '../keys/find-signer.ts';
import { readArgumentsOption } from '../read-arguments-option.ts';
import { refuseUnknown } from '../refuse-unknown-question.ts';
import { approvedLines } from '../screens/approved-lines.ts';
import { ALL, type Word } from '../standing-words.ts';
import { UsageError } from '../usage-error.ts';
import { whatFollows } from '../what-follows.ts';
import { withSureClient } from '../with-client.ts';

export interface ApproveInput {
  readonly question: string;
  readonly reason?: string;
  readonly input?: string;
  /** `true`: any arguments. */
  readonly remember?: true | string;
  readonly evidence?: string;
  readonly by?: string;
  readonly run?: string;
  readonly digest?: string;
  readonly key?: string;
}

const LOOK_MS = 5_000;

/** Lets a call be made that waits for an approval, as it is or with other arguments. */
export const approve = (cli: Cli, input: ApproveInput): Promise<ExitCode> => decide(cli, input, 'approve');

/** Keeps a call from being made. */
export const deny = (cli: Cli, input: ApproveInput): Promise<ExitCode> => decide(cli, input, 'deny');

async function decide(cli: Cli, input: ApproveInput, verdict: DecideApproval['verdict']): Promise<ExitCode> {
  const { reason } = input;
  if (reason === undefined) throw new UsageError('a decision needs a reason. Add --reason "why"; it is kept.');
  const said = { verdict, reason, ...(await readParts(input)) };
  return withSureClient(cli, async (client, config) => {
    const open = await client.questions(input.run);
    const found = findQuestion(input.question, open, input.run);
    if (found.is !== 'one') {
      return (
        (found.is === 'none' ? await leave(cli, { client, config }, input, said) : undefined) ??
        refuseUnknown(cli, client, { ...input, open, isSame: isSameAs(said) }, found)
      );
    }
    const { question } = found.item;
    if (question.kind !== 'approval') {
      const command = cli.command('resolve', question.id, 'happened', '--result', '…', '--reason', '…');
      throw new Error(`${question.id} asks whether ${question.tool} has happened, not whether it may.\n  ${command}`);
    }
    const signer = await signerOf(cli, config, found.item, input);
    return send(cli, client, question, { digest: question.digest, ...said, ...signer, question: question.id });
  });
}

/** Whoever said it, and for whatever reason: the same is the same, and what is remembered holds without being said again. */
function isSameAs(said: Pick<DecideApproval, 'verdict' | 'input' | 'remember'>) {
  return (word: Word) => {
    if (!isApproval(word)) return false;
    const { verdict, input, remember = word.remember } = said;
    return isSameApproval(word, { ...word, verdict, input, remember });
  };
}

/** The parts of a decision beside its verdict, as commander read them. */
async function readParts({ input, remember, evidence, digest }: ApproveInput) {
  const edited = input === undefined ? undefined : await readArgumentsOption('--input', input);
  const where = remember === undefined || remember === true ? {} : await readArgumentsOption('--remember', remember);
  return {
    ...(edited !== undefined && { input: edited }),
    ...(remember !== undefined && { remember: { where } }),
    ...(evidence !== undefined && { evidence }),
    ...(digest !== undefined && { digest }),
  };
}

export function signerOf(
  { settings }: Cli,
  config: Config | undefined,
  { question: { tool, kind }, agent }: InboxItem,
  { by, key }: { readonly by?: string; readonly key?: string },
) {
  return findSigner({ by, key, deciders: config?.deciders, about: { agent, tool, kind }, settings });
}

type Said = Omit<ApprovalInput, 'question' | 'by'>;

/** A run that no worker answers for cannot say what it asks: a word for it, under the question's whole id, is kept with the server. */
async function leave(
  cli: Cli,
  { client, config }: { readonly client: AgentClient; readonly config: Config | undefined },
  { question, run, by, key }: ApproveInput,
  said: Said,
): Promise<ExitCode | undefined> {
  if (run === undefined || !(await isSilent(client, run))) return undefined;
  const { settings } = cli;
  const signer = await findSigner({ by, key, deciders: config?.deciders, about: undefined, settings });
  const answer = await client.get(run).decideApproval({ ...said, ...signer, question });
  if (answer.is === 'refused') throw new Error(`${question} is not decided. ${answer.why}`);
  cli.answer({ question, run, verdict: said.verdict, ...answer }, ({ message }) => message);
  return EXIT.done;
}

async function isSilent(client: AgentClient, run: string): Promise<boolean> {
  const handle = client.get(run);
  const row = await handle.describe();
  return row !== undefined && row.closedAt === undefined && (await handle.state()) === undefined;
}

async function send(
  cli: Cli,
  client: AgentClient,
  question: ApprovalQuestion,
  decision: ApprovalInput,
): Promise<ExitCode> {
  const handle = client.get(question.run);
  const from = (await handle.events()).at(-1)?.offset ?? 0;
  const word = { ...decision, id: crypto.randomUUID() };
  const answer = await handle.decideApproval(word);
  if (answer.is === 'refused') throw new Error(`${question.id} is not decided. ${answer.why}`);
  const isDecided = answer.is === 'applied';
  const next = isDecided ? await whatFollows(handle, { from, withinMs: LOOK_MS }) : undefined;
  const { input, remember, verdict, by } = word;
  const rule = isDecided ? await findRule(client, question, word) : undefined;
  const also = { ...(input !== undefined && { input }), ...(remember && { remember }), ...(rule && { rule }) };
  cli.answer({ question, verdict, by, ...answer, ...also, ...(next && { next }) }, approvedLines);
  return isDecided ? EXIT.done : EXIT.waits;
}

/** The rule that a word has made, by the ledger. */
async function findRule(
  client: AgentClient,
  { run, tool }: ApprovalQuestion,
  word: DecideApproval,
): Promise<ApprovalRule | undefined> {
  const rule = ruleOfWord(tool, word);
  if (!rule) return undefined;
  const records = await client.ledger({ run, limit: ALL });
  return records.some((record) => record.is === 'ruled' && isSameRule(record.rule, rule)) ? rule : undefined;
}
