import { Context } from '@temporalio/activity';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Agent } from '../contracts/agent.ts';
import type { StreamOf } from '../contracts/events.ts';
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
import { concludeModel, type Conclusion } from './conclude-model.ts';
import { findAgent } from './find-tool.ts';
import { planCalls } from './plan-calls.ts';
import { plannedEvents } from './planned-events.ts';
import type { ActivityPorts } from './ports.ts';
import { publishReply, type ReplyPublisher } from './publish-reply.ts';
import { finalFailure } from './throw-verdict.ts';

/**
 * One attempt of a model call: sends the conversation, keeps the reply in the transcript and returns the plan of what the
 * model asked for. May be repeated: an attempt that fails leaves no trace in the conversation.
 */
export async function callModel(ports: ActivityPorts, request: ModelRequest): Promise<ModelPlan> {
  const agent = findAgent(ports.agents, request.agent);
  if (!agent) throw unknownAgent(request);
  const head = await ports.transcripts.append(request.head, await nextMessages(ports, request));
  const before = await ports.transcripts.read(head);
  const { run, turn, schedule } = request;
  const name = labelOf(choiceOf(agent).primary);
  const timeoutMs = MODEL_TIMES.attemptMs;
  const { tally } = request;
  const subject = { run, turn, call: `t${turn}`, schedule, kind: 'model', name, timeoutMs, tally } as const;
  const attempt = await beginAttempt(ports, subject);
  const publisher = openPublisher(ports, run, streamOf(turn, attempt));
  const asking = { agent, before, attempt, publisher, head };
  const answer = await ask(ports, request, asking);
  return answer.is === 'whole'
    ? planReply(ports, request, asking, answer.reply)
    : retell(ports, request, asking, answer);
}

interface Asking {
  readonly agent: Agent;
  readonly before: readonly LanguageModelV4Message[];
  /** Of the conversation that it is asked with. */
  readonly head: string;
  readonly attempt: Attempt;
  readonly publisher: ReplyPublisher;
}

async function planReply(
  ports: ActivityPorts,
  request: ModelRequest,
  { agent, before, head, attempt, publisher }: Asking,
  reply: Reply,
): Promise<ModelPlan> {
  const { turn } = request;
  const calls = uniqueIds(reply.calls, before, turn);
  const said = assistantMessage({ ...reply, calls });
  const after = await ports.transcripts.append(head, said.content.length > 0 ? [said] : []);
  const { calls: planned, stuck } = await planCalls(ports, request, agent, calls, before);
  await publisher.end(plannedEvents(planned, reply.calls, { turn, at: ports.now() }));
  await attempt.record({ outcome: 'success', usage: reply.usage });
  const bill = await billCall(ports, request);
  attempt.stop();
  // Paused, the turn goes back as it is, and goes on.
  const text = calls.length === 0 && reply.end !== 'continue' ? boundText(reply.text) : null;
  return {
    ...{ head: after, text, calls: planned, finish: reply.finish.unified, usage: reply.usage },
    ...{ attempts: attempt.number, tally: tallyAttempt(attempt.before, 0) },
    ...(bill && { bill }),
    ...(stuck !== undefined && { stuck }),
    ...(reply.finish.raw === 'model_context_window_exceeded' && { isFull: true }),
  };
}

/** The reply was none, and the model is told so: what it had shown is void, and the conversation goes on in another turn. */
async function retell(
  ports: ActivityPorts,
  { run, turn }: ModelRequest,
  { head, attempt }: Asking,
  { message, used, usage, bill }: Extract<Answer, { is: 'retell' }>,
): Promise<ModelPlan> {
  const after = await ports.transcripts.append(head, [message]);
  await openPublisher(ports, run, streamOf(turn, attempt)).end([]);
  const plan = { head: after, text: null, calls: [], finish: 'error', usage } as const;
  return { ...plan, attempts: attempt.number, tally: used, ...(bill && { bill }) };
}

/** An answer is the run's result: Temporal refuses one of 2 MB, again and again. The transcript has it whole. */
const MAX_ANSWER = 250_000;

function boundText(text: string): string {
  return text.length <= MAX_ANSWER ? text : `${text.slice(0, MAX_ANSWER)}… (cut here; the transcript has it whole)`;
}

/** What has come since the model was last asked; nothing where it only goes on. */
async function nextMessages(
  ports: ActivityPorts,
  { head, input, answers }: ModelRequest,
): Promise<readonly LanguageModelV4Message[]> {
  if (head === null) return [userMessage(input)];
  return answers.length === 0 ? [] : [await answerMessage(ports, answers)];
}

const streamOf = (turn: number, { number, scheduledAt }: Attempt): Omit<StreamOf, 'stream'> => {
  return { call: `t${turn}`, turn, attempt: number, scheduledAt };
};

/** Watchers who miss a piece lose nothing that counts: the reply is in the transcript. */
function openPublisher(ports: ActivityPorts, run: string, about: Omit<StreamOf, 'stream'>): ReplyPublisher {
  const onTrouble = (error: unknown) => {
    ports.logFor({ run, turn: about.turn }).warn('Pieces of a reply could not be written to the event store yet.', {
      error: String(error),
    });
  };
  return publishReply({ events: ports.events, now: ports.now, onTrouble }, run, about);
}

type Answer = { readonly is: 'whole'; readonly reply: Reply } | Extract<Conclusion, { is: 'retell' }>;

async function ask(ports: ActivityPorts, request: ModelRequest, asking: Asking): Promise<Answer> {
  const { agent, before, attempt, publisher } = asking;
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
    const reply = await collectReply(stream, response?.headers, (part) => publisher.show(part));
    return { is: 'whole', reply };
  } catch (error) {
    await publisher.end();
    const conclusion = await concludeModel(ports, request, { attempt, error, before });
    if (conclusion.is === 'throw') throw conclusion.error;
    return conclusion;
  } finally {
    clock.stop();
  }
}

function callerOf({ run, task, agent, turn }: ModelRequest, attempt: Attempt): ModelCallRequest['caller'] {
  return { run, task, agent, turn, attempt: attempt.number, scheduledAt: attempt.scheduledAt };
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
