import { Context } from '@temporalio/activity';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Agent } from '../contracts/agent.ts';
import type { ModelCallRequest } from '../contracts/middleware.ts';
import type { ModelPlan } from '../contracts/plan.ts';
import type { ModelRequest } from '../contracts/requests.ts';
import type { CallTally } from '../contracts/retry-budget.ts';
import type { AttemptReason } from '../contracts/shared-limits.ts';
import { choiceOf, labelOf, targetOf } from '../policy/model-label.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { tallyAttempt } from '../policy/spend-retries.ts';
import { uniqueIds } from '../policy/unique-ids.ts';
import { attemptClock } from './attempt-clock.ts';
import { beginAttempt, type Attempt } from './attempt.ts';
import { billCall } from './bill-calls.ts';
import { collectReply, type Reply } from './collect-reply.ts';
import { answerMessage, assistantMessage, offeredTools, userMessage } from './compose-prompt.ts';
import { concludeModel } from './conclude-model.ts';
import { findAgent } from './find-tool.ts';
import { planCalls } from './plan-calls.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure } from './throw-verdict.ts';

/**
 * One attempt of a model call: sends the conversation, keeps the reply in the transcript and returns the plan of what the
 * model asked for. May be repeated: an attempt that fails leaves no trace in the conversation.
 */
export async function callModel(ports: ActivityPorts, request: ModelRequest): Promise<ModelPlan> {
  const agent = findAgent(ports.agents, request.agent);
  if (!agent) throw unknownAgent(request);
  const head = await ports.transcripts.append(request.head, [await nextMessage(ports, request)]);
  const before = await ports.transcripts.read(head);
  const { run, turn, schedule } = request;
  const name = labelOf(choiceOf(agent).primary);
  const timeoutMs = MODEL_TIMES.attemptMs;
  const { tally } = request;
  const subject = { run, turn, call: `t${turn}`, schedule, kind: 'model', name, timeoutMs, tally } as const;
  const attempt = await beginAttempt(ports, subject);
  const reply = await ask(ports, request, { agent, before, attempt });
  const calls = uniqueIds(reply.calls, before, turn);
  const after = await ports.transcripts.append(head, [assistantMessage({ ...reply, calls })]);
  const { calls: planned, stuck } = await planCalls(ports, request, agent, calls, before);
  await attempt.record({ outcome: 'success', usage: reply.usage });
  const bill = await billCall(ports, request);
  attempt.stop();
  const text = calls.length === 0 ? boundText(reply.text) : null;
  const finish = reply.finish.unified;
  const said = { head: after, text, calls: planned, finish, usage: reply.usage, attempts: attempt.number };
  const used = tallyAttempt(attempt.before, 0);
  return { ...said, tally: used, ...(bill && { bill }), ...(stuck !== undefined && { stuck }) };
}

/** An answer is the run's result: Temporal refuses one of 2 MB, again and again. The transcript has it whole. */
const MAX_ANSWER = 250_000;

function boundText(text: string): string {
  return text.length <= MAX_ANSWER ? text : `${text.slice(0, MAX_ANSWER)}… (cut here; the transcript has it whole)`;
}

async function nextMessage(
  ports: ActivityPorts,
  { head, input, answers }: ModelRequest,
): Promise<LanguageModelV4Message> {
  return head === null ? userMessage(input) : answerMessage(ports, answers);
}

interface Asking {
  readonly agent: Agent;
  readonly before: readonly LanguageModelV4Message[];
  readonly attempt: Attempt;
}

async function ask(ports: ActivityPorts, request: ModelRequest, { agent, before, attempt }: Asking): Promise<Reply> {
  const clock = attemptClock(MODEL_TIMES.attemptMs, Context.current().cancellationSignal);
  try {
    const call = await ports.modelCallOf(agent);
    const { stream, response } = await call({
      options: { prompt: [...systemMessage(agent), ...before], tools: offeredTools(agent) },
      signal: clock.signal,
      target: targetOf(choiceOf(agent).primary, 0),
      caller: callerOf(request, attempt),
      reason: reasonOf(attempt.before),
      timeoutMs: MODEL_TIMES.attemptMs,
      part: 1,
      beforeSend: () => attempt.announce(),
    });
    return await collectReply(stream, response?.headers);
  } catch (error) {
    throw await concludeModel(ports, request, { attempt, error });
  } finally {
    clock.stop();
  }
}

function callerOf({ run, task, agent, turn }: ModelRequest, attempt: Attempt): ModelCallRequest['caller'] {
  return { run, task, agent, turn, attempt: attempt.number };
}

const reasonOf = ({ parked, sent }: CallTally): AttemptReason =>
  parked ? 'after-park' : sent === 0 ? 'first' : 'retry';

/** The strictest provider refuses an empty one. */
function systemMessage({ instructions }: Agent): readonly LanguageModelV4Message[] {
  return instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }];
}

function unknownAgent({ agent, turn, schedule }: ModelRequest) {
  const message = `This worker knows no agent "${agent}". Add it to the configuration, or start a worker that has it.`;
  return finalFailure('ModelFailed', message, {
    ...({ hf: 1, call: `t${turn}`, schedule, closed: 0, open: null } as const),
    end: { is: 'failed', why: message },
  });
}
