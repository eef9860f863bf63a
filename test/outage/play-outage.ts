import type { AttemptReason, AttemptReport, Ticket } from '../../src/contracts/shared-limits.ts';
import { admitAttempt, freshLimits, noteAttempt } from '../../src/policy/admit-attempt.ts';
import { MODEL_BACKOFF, retryWaitMs } from '../../src/policy/backoff.ts';
import { MODEL_TIMES } from '../../src/policy/model-times.ts';
import { BREAKER_RULE } from '../../src/policy/circuit-breaker.ts';
import { parkWaitMs } from '../../src/policy/park-wait.ts';
import { createEventQueue } from '../../src/testing/event-queue.ts';
import { seededDice } from '../../src/testing/seeded-dice.ts';

export interface OutageStory {
  readonly seed: number;
  readonly agents: number;
  /** Mean times of an answer, of what an agent does between two calls, and of a refusal while the provider is down. */
  readonly answerMs: number;
  readonly thinkMs: number;
  readonly refusalMs: number;
  readonly downFrom: number;
  readonly downUntil: number;
  /** When agents stop to begin new calls. */
  readonly until: number;
  /** Which of the admitted attempts never report: a worker's fault. Default: none. */
  readonly isLost?: (ticket: Ticket) => boolean;
}

export interface OutageReport {
  /** When each request was sent, in order. */
  readonly sent: readonly number[];
  readonly inFlightAtOnset: number;
  readonly probes: readonly number[];
  readonly failedCalls: number;
  /** When each agent's first call after the outage succeeded; missing for those that never came through. */
  readonly through: ReadonlyMap<number, number>;
}

interface Agent {
  readonly id: number;
  attempt: number;
  reason: AttemptReason;
}

/** Agents and one provider that goes down for a while, by the product's own decisions, in virtual time. */
export function playOutage(story: OutageStory): OutageReport {
  const dice = seededDice(story.seed);
  const around = (meanMs: number) => meanMs * (0.5 + dice());
  const queue = createEventQueue<() => void>();
  const sent: number[] = [];
  const probes: number[] = [];
  const through = new Map<number, number>();
  let [now, ids, failedCalls, inFlight, inFlightAtOnset] = [0, 0, 0, 0, 0];
  let state = freshLimits();
  const later = (ms: number, what: () => void) => queue.push(now + ms, what);
  const isDown = () => now >= story.downFrom && now < story.downUntil;

  function begin(agent: Agent): void {
    if (now > story.until) return;
    Object.assign(agent, { attempt: 1, reason: 'first' });
    ask(agent);
  }

  function ask(agent: Agent): void {
    const answered = admitAttempt(state, { reason: agent.reason, timeoutMs: 60_000, id: ++ids }, now);
    state = answered.state;
    if (answered.admission.is === 'refused') park(agent, answered.admission.waitMs);
    else send(agent, answered.admission.ticket);
  }

  function park(agent: Agent, refusedForMs: number): void {
    agent.reason = 'after-park';
    later(parkWaitMs({ waitMs: refusedForMs, spreadMs: BREAKER_RULE.spreadMs }, dice()), () => ask(agent));
  }

  function send(agent: Agent, ticket: Ticket): void {
    sent.push(now);
    inFlight += 1;
    if (ticket.role === 'probe') probes.push(now);
    if (isDown()) {
      later(around(story.refusalMs), () => fail(agent, ticket));
      return;
    }
    const answerMs = around(story.answerMs);
    const begun = now;
    const isCut = () => story.downFrom > begun && story.downFrom <= now;
    later(0.3 * answerMs, () => !isCut() && report(ticket, 'answering'));
    if (now < story.downFrom && now + answerMs > story.downFrom) {
      queue.push(story.downFrom, () => fail(agent, ticket));
    } else {
      later(answerMs, () => succeed(agent, ticket));
    }
  }

  function report(ticket: Ticket, how: AttemptReport): void {
    if (!story.isLost?.(ticket)) state = noteAttempt(state, { ticket, report: how }, now);
  }

  function succeed(agent: Agent, ticket: Ticket): void {
    inFlight -= 1;
    report(ticket, 'success');
    if (now >= story.downUntil && !through.has(agent.id)) through.set(agent.id, now);
    later(around(story.thinkMs), () => begin(agent));
  }

  function fail(agent: Agent, ticket: Ticket): void {
    inFlight -= 1;
    report(ticket, 'failure');
    if (ticket.role === 'probe') {
      park(agent, 20_000);
      return;
    }
    if (agent.attempt >= MODEL_TIMES.attempts) {
      failedCalls += 1;
      later(around(story.thinkMs), () => begin(agent));
      return;
    }
    const waitMs = retryWaitMs(MODEL_BACKOFF, agent.attempt, undefined, dice());
    agent.attempt += 1;
    agent.reason = 'retry';
    later(waitMs, () => ask(agent));
  }

  for (let id = 0; id < story.agents; id++) {
    const agent: Agent = { id, attempt: 1, reason: 'first' };
    later(dice() * (story.answerMs + story.thinkMs), () => begin(agent));
  }
  queue.push(story.downFrom, () => (inFlightAtOnset = inFlight));
  // Who parks for ever would keep the play going for ever.
  const curtain = story.until + 3_600_000;
  for (let next = queue.pop(); next && next.at < curtain; next = queue.pop()) {
    now = next.at;
    next.event();
  }
  return { sent, inFlightAtOnset, probes, failedCalls, through };
}
