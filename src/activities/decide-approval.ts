import type { ApprovalRule } from '../contracts/approval.ts';
import type { LedgerEntry } from '../contracts/ledger.ts';
import type { ApprovalRequest, LeaveRequest } from '../contracts/requests.ts';
import { recordApproval, type ApprovalSubject } from '../policy/record-approval.ts';
import { isSameRule, ruleOfWord } from '../policy/rule-of-word.ts';
import { rulesKey } from '../policy/rules-key.ts';
import type { Leave } from '../policy/weigh-leave.ts';
import { decline } from './decline.ts';
import { refuseStranger } from './refuse-stranger.ts';
import { refuseForeign } from './check-ledger.ts';
import { editCall } from './edit-call.ts';
import { gateOfPlan } from './gate-attempt.ts';
import type { ActivityPorts } from './ports.ts';
import { loadContent } from './store-content.ts';

/** `heard`: it stands in the ledger; `leave` is where the call is now. `refused`: it uses up nothing; on record too. */
export type ApprovalDecided =
  { readonly is: 'heard'; readonly leave: Leave } | { readonly is: 'refused'; readonly why: string };

/** Verifies a person's word on a call and gives it its place in the ledger, where every later attempt of the call finds it. */
export async function decideApproval(ports: ActivityPorts, request: ApprovalRequest): Promise<ApprovalDecided> {
  const { question, decision, task, ledger } = request;
  await refuseForeign(ports, task, ledger);
  const stranger = await refuseStranger(ports, request, question, decision);
  if (stranger !== undefined) return { is: 'refused', why: stranger };
  const subject = await approvalSubject(ports, request);
  const misfit = await whyMisfit(ports, request);
  if (misfit !== undefined) return refuse(ports, subject, request, misfit);
  const { answer } = await ports.ledger.decide(question.key, (records) =>
    recordApproval(records, subject, decision, ports.now()),
  );
  if (answer.is === 'stands') return refuse(ports, subject, request, `Something else stands: ${answer.why}`);
  // A rule stands only where the call itself may be made: a denial by a second person takes the first one's with it.
  const rule = ruleOfWord(request.plan.tool, decision);
  if (rule && answer.leave.is === 'given') await remember(ports, request, rule);
  return answer;
}

/** The call as the words on it are recorded and weighed. */
export async function approvalSubject(ports: ActivityPorts, request: LeaveRequest): Promise<ApprovalSubject> {
  const { question, plan, task, run, execution } = request;
  const input = await loadContent(ports.transcripts, plan.input).catch(() => null);
  const ofPlan = await gateOfPlan(ports, request, { ...plan, because: question.because }, input);
  // A repetition is found by the attempt, and stands in the question only. No rule was made with one in mind.
  const isRepetition = question.because.length > (plan.because?.length ?? 0);
  const gate = isRepetition ? { ...ofPlan, rules: [] } : ofPlan;
  const { key, call, tool, digest } = plan;
  return { key, task, run, execution, call, tool, digest, gate };
}

/** Edited arguments must make a call before anybody's word is used up on them. */
async function whyMisfit(ports: ActivityPorts, request: ApprovalRequest): Promise<string | undefined> {
  if (request.decision.input === undefined) return undefined;
  const edited = await editCall(ports, request, request.decision);
  return 'problem' in edited ? `The edited arguments were not accepted: ${edited.problem}` : undefined;
}

async function refuse(
  ports: ActivityPorts,
  { gate: _, digest: __, ...subject }: ApprovalSubject,
  { decision }: ApprovalRequest,
  why: string,
): Promise<ApprovalDecided> {
  await decline(ports, { ...subject, generation: 1, at: ports.now(), is: 'declined', why, decision });
  return { is: 'refused', why };
}

async function remember(
  { ledger, namespace, now }: ActivityPorts,
  { plan, task, agent, run, execution }: ApprovalRequest,
  rule: ApprovalRule,
): Promise<void> {
  const key = rulesKey(namespace, task, agent, plan.tool);
  const subject = { key, task, run, execution, call: plan.call, tool: plan.tool, generation: 1, at: now() };
  const entry: LedgerEntry = { ...subject, is: 'ruled', rule };
  await ledger.decide(key, (records) => {
    const isWritten = records.some((record) => record.is === 'ruled' && isSameRule(record.rule, rule));
    return { append: isWritten ? [] : [entry], answer: undefined };
  });
}
