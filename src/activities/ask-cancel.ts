import type { ConfirmRequest } from '../contracts/requests.ts';
import { cleanMessage } from '../policy/clean-message.ts';
import { readErrorFacts } from '../policy/error-facts.ts';
import { refuseForeign } from './check-ledger.ts';
import { findTool } from './find-tool.ts';
import type { ActivityPorts } from './ports.ts';
import { questionContext } from './question-context.ts';
import { runBody } from './run-body.ts';
import { loadContent, toJson } from './store-content.ts';

/** Asks a tool's receiver to call an action off, once. Returns what it said, for people: evidence, never proof. */
export async function askCancel(ports: ActivityPorts, request: ConfirmRequest): Promise<string> {
  const { question, agent, task, ledger } = request;
  const tool = findTool(ports.agents, agent, question.tool);
  const cancel = tool?.cancel;
  if (!cancel) return 'this worker cannot ask for it';
  await refuseForeign(ports, task, ledger);
  const stop = new AbortController();
  const context = await questionContext(ports, request, tool, { signal: stop.signal, sends: 'anything' });
  const input = await loadContent(ports.transcripts, question.input);
  const end = await runBody(() => cancel(input, context), tool.timeoutMs);
  stop.abort(new Error('The call-off is over.'));
  if (end.is === 'threw') return `it failed: ${readErrorFacts(end.error).message}`;
  if (end.is !== 'returned') return 'it gave no answer in time';
  const json = toJson(end.value);
  return 'value' in json ? cleanMessage(`answered ${JSON.stringify(json.value)}`) : 'answered something unreadable';
}
