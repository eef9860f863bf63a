import type { ApprovalRule } from '../contracts/approval.ts';
import type { Json } from '../contracts/json.ts';
import type { LedgerRecord } from '../contracts/ledger.ts';
import type { RunnableCall } from '../contracts/plan.ts';
import type { RunIdentity, ToolRequest } from '../contracts/requests.ts';
import type { Prior, RepeatRule, Tool } from '../contracts/tool.ts';
import { fitsRule } from '../policy/fits-rule.ts';
import { foldKey } from '../policy/fold-key.ts';
import { needOf } from '../policy/need-of.ts';
import { questionOfKey } from '../policy/question-of-claim.ts';
import { rulesKey } from '../policy/rules-key.ts';
import type { Gate } from '../policy/weigh-leave.ts';
import type { ActivityPorts } from './ports.ts';
import { loadContent } from './store-content.ts';

/**
 * The gate of an attempt: what its plan says somebody must agree to, and whether it repeats something. `failed`: the record of
 * another call of this very action that ended with the tool's own no.
 */
export async function gateAttempt(
  ports: ActivityPorts,
  { plan, ...identity }: ToolRequest,
  tool: Tool,
  failed?: Extract<LedgerRecord, { is: 'failed' }>,
): Promise<Gate> {
  const prior = failed ? priorOfFailed(failed) : await findUnsettled(ports, identity, plan, tool);
  // Arguments that cannot be read fit no rule, and whoever is asked about them says "ask".
  const input = await loadContent(ports.transcripts, plan.input).catch(() => null);
  const rule = prior && ruleFor(tool, input, prior);
  const repeats = prior && rule === 'ask' ? [sayPrior(prior)] : [];
  const gate = await gateOfPlan(ports, identity, plan, input);
  if (prior && rule === 'block') return { ...gate, blocked: `${sayPrior(prior)} ${tool.name} is not called again.` };
  // A rule speaks of what is usual. It was not made with a failure or a doubt in mind.
  return repeats.length === 0 ? gate : { ...gate, because: [...gate.because, ...repeats], rules: [] };
}

/** The gate as the plan alone has it: reasons, how many people by the call's worth, remembered approvals that fit. */
export async function gateOfPlan(
  ports: Pick<ActivityPorts, 'approvals' | 'ledger' | 'namespace'>,
  { task, agent, quorum }: Pick<ToolRequest, 'task' | 'agent' | 'quorum'>,
  { because = [], amount, tool }: RunnableCall,
  input: Json,
): Promise<Gate> {
  const need = needOf(amount, quorum, ports.approvals.quorum);
  if (because.length === 0) return { because, need, rules: [] };
  // What two people must agree to, they agree to each time.
  const rules = need > 1 ? [] : await readRules(ports, { task, agent }, tool);
  return { because, need, rules: rules.filter((rule) => fitsRule(rule, input)) };
}

async function readRules(
  { ledger, namespace }: Pick<ActivityPorts, 'ledger' | 'namespace'>,
  { task, agent }: Pick<RunIdentity, 'task' | 'agent'>,
  tool: string,
): Promise<readonly ApprovalRule[]> {
  const records = await ledger.read({ key: rulesKey(namespace, task, agent, tool) });
  return records.filter((record) => record.is === 'ruled').map(({ rule }) => rule);
}

function priorOfFailed({ key, run, call, at, message }: Extract<LedgerRecord, { is: 'failed' }>): Prior {
  return { is: 'failed', intent: key.intent, run, call, at, message };
}

/**
 * Another action of the same unflagged tool, in this task, of which nobody knows whether it happened. Not one that the model
 * asked for in the same breath: whoever is in doubt waits, its siblings are carried out.
 */
async function findUnsettled(
  { ledger, now }: ActivityPorts,
  { task, run, turn }: Pick<ToolRequest, 'task' | 'run' | 'turn'>,
  plan: RunnableCall,
  tool: Tool,
): Promise<Prior | undefined> {
  if (tool.effect !== 'unflagged') return undefined;
  const isSibling = (other: { readonly run: string; readonly call: string }) =>
    other.run === run && other.call.startsWith(`t${turn}c`);
  const records = (await ledger.read({ task, unsettled: true })).filter((record) => record.tool === tool.name);
  const keys = Map.groupBy(records, ({ key: { scope, intent } }) => JSON.stringify([scope, intent]));
  for (const ofKey of keys.values()) {
    const question = questionOfKey(foldKey(ofKey), now());
    if (!question || isSameKey(question.key, plan.key) || isSibling(question)) continue;
    const { key, run, call, since, known } = question;
    return { is: 'unsettled', intent: key.intent, run, call, at: since, message: known[0] ?? '' };
  }
  return undefined;
}

const isSameKey = (a: RunnableCall['key'], b: RunnableCall['key']): boolean =>
  a.scope === b.scope && a.intent === b.intent;

/** What the tool's author says of a repetition. A rule with a bug, or one that is no rule, asks. */
function ruleFor({ onRepeat }: Tool, input: Json, prior: Prior): RepeatRule {
  if (typeof onRepeat !== 'function') return onRepeat;
  try {
    const rule: unknown = onRepeat(input, prior);
    return rule === 'allow' || rule === 'block' ? rule : 'ask';
  } catch {
    // Whatever went wrong in it, a person can still say.
    return 'ask';
  }
}

function sayPrior({ is, intent, message }: Prior): string {
  return is === 'failed'
    ? `The same action had failed before: ${message}`
    : `An earlier action of this tool (${intent}) may or may not have happened: ${message}`;
}
