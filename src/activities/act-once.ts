import { storedFromBytes } from '../contracts/content.ts';
import type { Envelope } from '../contracts/envelope.ts';
import type { Failure } from '../contracts/failure.ts';
import type { Json } from '../contracts/json.ts';
import type { Tool } from '../contracts/tool.ts';
import { readErrorFacts } from '../policy/error-facts.ts';
import { RECORD_GRACE_MS, REPORT_BEFORE_MS } from '../policy/ledger-times.ts';
import { NOT_APPLIED } from '../policy/reply-for.ts';
import { admitTool } from './admit-tool.ts';
import { beginAttempt, type Attempt } from './attempt.ts';
import { entryFor, type ClaimedAttempt } from './claimed-attempt.ts';
import { concludeWriter } from './conclude-writer.ts';
import { wireKey } from './digest.ts';
import { noteSuccess } from './end-attempt.ts';
import { failureOfEnd } from './failure-of-end.ts';
import { awaitLateNews } from './late-news.ts';
import type { ActivityPorts } from './ports.ts';
import { readResult } from './read-result.ts';
import { runBody, type BodyEnd } from './run-body.ts';
import { secretOfKey } from './secret-of-key.ts';
import { loadContent } from './store-content.ts';
import { openWorkbench } from './tool-context.ts';
import { writeRecord } from './write-record.ts';

/** Runs the body once and says truly how it ended: done, provably nothing, or unknown. The record is written before the report. */
export async function actOnce(ports: ActivityPorts, claimed: ClaimedAttempt): Promise<Envelope> {
  const { request, tool, claim, admission } = claimed;
  const { plan, run, turn, schedule } = request;
  const { name, timeoutMs } = tool;
  const subject = {
    run,
    turn,
    schedule,
    call: plan.call,
    kind: 'tool',
    name,
    intent: plan.key.intent,
    timeoutMs,
    tally: request.tally,
  } as const;
  const attempt = await beginAttempt(ports, subject, admission.attempt);
  const stop = new AbortController();
  const secret = secretOfKey(ports.keySecrets, admission.secret);
  const idempotencyKey = wireKey(plan.key, admission.generation, secret.is === 'known' ? secret.value : undefined);
  const times = { idempotencyKey, deadline: claim.sendBy, signal: stop.signal };
  const { context, requests } = openWorkbench(ports, request, attempt, times);
  const reportBy = claim.sendBy + RECORD_GRACE_MS - REPORT_BEFORE_MS;
  const ready = secret.is === 'missing' ? notBegun(tool, secret.why) : await readInput(ports, claimed);
  if ('failure' in ready) {
    return concludeWriter(ports, claimed, { attempt, failure: ready.failure, reportBy, isBegun: false });
  }
  const held = await admitTool(ports, tool, attempt.number);
  if (held.is === 'held-back') {
    return concludeWriter(ports, claimed, { attempt, failure: held.failure, reportBy, isBegun: false });
  }
  const end = await lastChance(
    await runBody(() => tool.execute(ready.input, context), claim.sendBy - ports.now()),
    stop,
  );
  if (end.is === 'returned') {
    held.report();
    return reportDone(ports, claimed, { attempt, value: end.value, reportBy });
  }
  const failure: Failure = failureOfEnd(end, tool, requests());
  held.report(failure);
  if (end.is !== 'threw') awaitLateNews(ports, claimed, end, stop);
  return concludeWriter(ports, claimed, { attempt, failure, reportBy });
}

/**
 * The stored arguments, or why the body must not begin: they cannot be read, or the claim's time to send has passed while the
 * worker stood still. Somebody may have decided about it since.
 */
async function readInput(
  ports: ActivityPorts,
  { tool, claim, admission }: ClaimedAttempt,
): Promise<{ readonly input: Json } | { readonly failure: Failure }> {
  try {
    const input = await loadContent(ports.transcripts, admission.input);
    return ports.now() < claim.sendBy ? { input } : notBegun(tool, 'its time to send had passed.');
  } catch (error) {
    return notBegun(tool, `its arguments could not be read: ${readErrorFacts(error).message}`);
  }
}

function notBegun({ name }: Tool, why: string): { readonly failure: Failure } {
  return { failure: { kind: 'transient', delivery: 'not-sent', message: `${name} was not begun: ${why}` } };
}

/** How long a body that was asked to stop may take to say how it ended. */
const CANCEL_GRACE_MS = 1_000;

/** The run wants it cancelled: the body is asked to end, and if it does so at once, its own word counts. */
async function lastChance(end: BodyEnd, stop: AbortController): Promise<BodyEnd> {
  if (end.is !== 'cancelled') return end;
  stop.abort(new Error('The run cancelled this call.'));
  const patience = new Promise<BodyEnd>((resolve) => {
    setTimeout(resolve, CANCEL_GRACE_MS, end);
  });
  return Promise.race([end.running, patience]);
}

async function reportDone(
  ports: ActivityPorts,
  claimed: ClaimedAttempt,
  { attempt, value, reportBy }: { readonly attempt: Attempt; readonly value: unknown; readonly reportBy: number },
): Promise<Envelope> {
  const { result, note } = await readResult(ports, claimed.tool, value, storedFromBytes(claimed.request.callsInTurn));
  const statement = { is: 'done', claim: claimed.claim.id, result, late: false } as const;
  const written = await writeRecord(ports, entryFor(claimed, ports.now(), statement), reportBy);
  noteSuccess(attempt);
  await attempt.end({ outcome: 'success' });
  const told = claimed.admission.sameInput ? note : NOT_APPLIED;
  return { ...attempt.envelope, ...written, verdict: { is: 'done', result, ...(told && { note: told }) } };
}
