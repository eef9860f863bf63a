import { activityInfo, Context } from '@temporalio/activity';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Agent } from '../contracts/agent.ts';
import type { ModelFailure } from '../contracts/failure.ts';
import type { ModelPlan } from '../contracts/plan.ts';
import type { ModelRequest } from '../contracts/requests.ts';
import { MODEL_BACKOFF, retryWaitMs } from '../policy/backoff.ts';
import { classifyModelError } from '../policy/classify-model-error.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { beginAttempt, type Attempt } from './attempt.ts';
import { collectReply, type Reply } from './collect-reply.ts';
import { answerMessage, assistantMessage, offeredTools, userMessage } from './compose-prompt.ts';
import { findAgent } from './find-tool.ts';
import { planCalls } from './plan-calls.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure, retryFailure } from './throw-verdict.ts';

/**
 * One attempt of a model call: sends the conversation, keeps the reply in the transcript and returns the plan of what the
 * model asked for. May be repeated: an attempt that fails leaves no trace in the conversation.
 */
export async function callModel(ports: ActivityPorts, request: ModelRequest): Promise<ModelPlan> {
  const agent = findAgent(ports.agents, request.agent);
  if (!agent) throw unknownAgent(request);
  const head = await ports.transcripts.append(request.head, [await nextMessage(ports, request)]);
  const before = await ports.transcripts.read(head);
  const { run, turn } = request;
  const name = labelOf(agent);
  const subject = {
    run,
    turn,
    call: `t${turn}`,
    schedule: 1,
    kind: 'model',
    name,
    timeoutMs: MODEL_TIMES.attemptMs,
  } as const;
  const attempt = await beginAttempt(ports, subject);
  const reply = await ask(ports, request, agent, before, attempt);
  const calls = uniqueIds(reply.calls, before, turn);
  const after = await ports.transcripts.append(head, [assistantMessage({ ...reply, calls })]);
  const { calls: planned, stuck } = await planCalls(ports, request, agent, calls, before);
  await attempt.end({ outcome: 'success', usage: reply.usage });
  const text = calls.length === 0 ? boundText(reply.text) : null;
  const finish = reply.finish.unified;
  const said = { head: after, text, calls: planned, finish, usage: reply.usage, attempts: attempt.number };
  return stuck === undefined ? said : { ...said, stuck };
}

/** An answer is the run's result: Temporal refuses one of 2 MB, again and again. The transcript has it whole. */
const MAX_ANSWER = 250_000;

function boundText(text: string): string {
  return text.length <= MAX_ANSWER ? text : `${text.slice(0, MAX_ANSWER)}… (cut here; the transcript has it whole)`;
}

/** The agent's model, for people: `provider/model`. */
export function labelOf({ model }: Agent): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.modelId}`;
}

async function nextMessage(
  ports: ActivityPorts,
  { head, input, answers }: ModelRequest,
): Promise<LanguageModelV4Message> {
  return head === null ? userMessage(input) : answerMessage(ports, answers);
}

async function ask(
  ports: ActivityPorts,
  request: ModelRequest,
  agent: Agent,
  before: readonly LanguageModelV4Message[],
  attempt: Attempt,
): Promise<Reply> {
  const deadline = AbortSignal.timeout(MODEL_TIMES.attemptMs);
  const caller = Context.current().cancellationSignal;
  const isAsked = !caller.aborted;
  try {
    const model = await ports.modelOf(agent);
    const { stream, response } = await model.doStream({
      prompt: [...systemMessage(agent), ...before],
      tools: offeredTools(agent),
      abortSignal: AbortSignal.any([deadline, caller]),
    });
    return await collectReply(stream, response?.headers);
  } catch (error) {
    const failure = classifyModelError(error, { now: ports.now(), caller, attempt: deadline, isAsked });
    throw await conclude(ports, request, attempt, failure, error);
  }
}

/** The strictest provider refuses an empty one. */
function systemMessage({ instructions }: Agent): readonly LanguageModelV4Message[] {
  return instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }];
}

async function conclude(
  ports: ActivityPorts,
  request: ModelRequest,
  attempt: Attempt,
  failure: ModelFailure,
  error: unknown,
): Promise<unknown> {
  if (Context.current().cancellationSignal.aborted) {
    await attempt.end({ outcome: 'cancelled', failure });
    return Context.current().cancellationSignal.reason ?? error;
  }
  const tries = activityInfo().attempt;
  const waitMs = retryWaitMs(MODEL_BACKOFF, tries, failure.waitMs, ports.dice());
  const isFinal = failure.kind === 'permanent' || failure.overCap || tries >= failure.tries;
  await attempt.end({ outcome: 'failure', failure, ...(isFinal ? {} : { nextWaitMs: waitMs }) });
  ports.logFor({ run: request.run, turn: request.turn, attempt: tries }).warn(failure.message, { isFinal });
  if (isFinal) return finalFailure('ModelFailed', failure.message, attempt.envelope);
  return retryFailure('ModelRetry', failure.message, attempt.envelope, { is: 'again', waitMs, why: failure.message });
}

function unknownAgent({ agent, turn }: ModelRequest) {
  const message = `This worker knows no agent "${agent}". Add it to the configuration, or start a worker that has it.`;
  return finalFailure('ModelFailed', message, { hf: 1, call: `t${turn}`, schedule: 1, closed: 0, open: null });
}

/** Some providers repeat ids, or give none: a transcript with two equal ids is refused by the strictest. */
function uniqueIds(calls: Reply['calls'], before: readonly LanguageModelV4Message[], turn: number): Reply['calls'] {
  const taken = new Set<string>();
  for (const { role, content } of before) {
    if (role !== 'assistant') continue;
    for (const part of content) if (part.type === 'tool-call') taken.add(part.toolCallId);
  }
  return calls.map((call, position) => {
    let toolCallId = typeof call.toolCallId === 'string' ? call.toolCallId : '';
    for (let again = 0; toolCallId === '' || taken.has(toolCallId); again++) {
      toolCallId = `call_t${turn}c${position}${again === 0 ? '' : `_${again}`}`;
    }
    taken.add(toolCallId);
    return { ...call, toolCallId };
  });
}
