import type { Decision } from '../contracts/decision.ts';
import type { ConfirmRequest } from '../contracts/requests.ts';
import type { Confirmation, Tool } from '../contracts/tool.ts';
import { cleanMessage } from '../policy/clean-message.ts';
import { readErrorFacts } from '../policy/error-facts.ts';
import { settleKey } from '../policy/settle-key.ts';
import { weighConfirmation, type LookUp } from '../policy/weigh-confirmation.ts';
import { refuseForeign } from './check-ledger.ts';
import { findTool } from './find-tool.ts';
import type { ActivityPorts } from './ports.ts';
import { questionContext } from './question-context.ts';
import { runBody } from './run-body.ts';
import { loadContent, toJson } from './store-content.ts';

/** `settled`: the look-up's answer stands in the ledger. `open`: it did not settle the question; `said` is for people. */
export type Confirmed =
  { readonly is: 'settled'; readonly decision: Decision } | { readonly is: 'open'; readonly said: string };

/** Asks a tool's own look-up what became of a call. A look-up that fails, lies about its form or writes cannot tell. */
export async function confirmOutcome(ports: ActivityPorts, request: ConfirmRequest): Promise<Confirmed> {
  const { question, agent, task, ledger } = request;
  const tool = findTool(ports.agents, agent, question.tool);
  if (!tool?.confirm) return { is: 'open', said: 'this worker has no look-up for it' };
  await refuseForeign(ports, task, ledger);
  const lookUp = await askTool(ports, request, tool, tool.confirm);
  const weight = weighConfirmation(lookUp, question, tool, ports.now());
  if (weight.is === 'noted') return { is: 'open', said: weight.said };
  const { decision } = weight;
  const terms = { now: ports.now(), claim: question.claim };
  const { answer } = await ports.ledger.decide(question.key, (records) => settleKey(records, decision, terms));
  if (answer.is === 'settled') return { is: 'settled', decision };
  return { is: 'open', said: answer.is === 'stands' ? answer.why : 'the ledger has other news' };
}

async function askTool(
  ports: ActivityPorts,
  request: ConfirmRequest,
  tool: Tool,
  confirm: NonNullable<Tool['confirm']>,
): Promise<LookUp> {
  const stop = new AbortController();
  // A look-up sends nothing that could change something.
  const context = await questionContext(ports, request, tool, { signal: stop.signal, sends: 'reads' });
  const input = await loadContent(ports.transcripts, request.question.input);
  const end = await runBody(() => confirm(input, context), tool.timeoutMs);
  stop.abort(new Error('The look-up is over.'));
  if (end.is === 'returned') return readConfirmation(end.value as Confirmation);
  const why = end.is === 'threw' ? readErrorFacts(end.error).message : 'it gave no answer in time';
  return { is: 'cannot-tell', why };
}

/** Whatever a look-up returned, as one of the three answers. */
function readConfirmation(value: Confirmation | undefined): LookUp {
  if (value?.is === 'happened') {
    const json = toJson(value.result);
    return { is: 'happened', result: 'value' in json ? json.value : null };
  }
  if (value?.is === 'did-not-happen') return { is: 'did-not-happen' };
  const why =
    value?.is === 'cannot-tell'
      ? (value.why ?? 'it did not say why')
      : 'the look-up answered something that is no answer';
  return { is: 'cannot-tell', why: cleanMessage(why) };
}
