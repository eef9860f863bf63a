import { storedFromBytes } from '../contracts/content.ts';
import { entryFor, type ClaimedAttempt } from './claimed-attempt.ts';
import type { ActivityPorts } from './ports.ts';
import { readResult } from './read-result.ts';
import type { BodyEnd, SettledBody } from './run-body.ts';
import { writeRecord } from './write-record.ts';

/** How long the news of an abandoned body is offered to a ledger that does not take it. */
const NEWS_WAIT_MS = 900_000;

/**
 * Lets a body go on after sight of it was lost: an unflagged one until its effect can no longer land, any other is asked to
 * end at once. A late success is recorded and told to the run; a late error settles nothing.
 */
export function awaitLateNews(
  ports: ActivityPorts,
  claimed: ClaimedAttempt,
  end: Extract<BodyEnd, { running: unknown }>,
  stop: AbortController,
): void {
  let isOver = false;
  const give = (reason: string) => {
    stop.abort(new Error(reason));
  };
  if (claimed.effect !== 'unflagged') give(`The attempt of ${claimed.tool.name} was given up.`);
  const horizon = setTimeout(give, claimed.tool.landsWithinMs, 'The effect can no longer land.');
  horizon.unref();
  const log = ports.logFor({ run: claimed.request.run, call: claimed.request.plan.call });
  const settled = end.running
    .then((body) => tellLate(ports, claimed, body, () => isOver))
    .catch((error: unknown) => {
      log.warn('Late news could not be delivered; the ledger has it if it was recorded.', { error: String(error) });
    })
    .finally(() => {
      clearTimeout(horizon);
    });
  ports.abandoned.keep(settled, (reason) => {
    isOver = true;
    give(reason);
  });
}

async function tellLate(
  ports: ActivityPorts,
  claimed: ClaimedAttempt,
  body: SettledBody,
  isOver: () => boolean,
): Promise<void> {
  const { request, claim, tool } = claimed;
  const { run, plan } = request;
  const at = ports.now();
  if (body.is === 'returned') {
    const { result } = await readResult(ports, tool, body.value, storedFromBytes(request.callsInTurn));
    const entry = entryFor(claimed, at, { is: 'done', claim: claim.id, result, late: true });
    const written = await writeRecord(ports, entry, at + NEWS_WAIT_MS, isOver);
    if ('record' in written) await ports.sendLateOutcome(run, { call: plan.call, claim: claim.id });
  }
  const is = body.is === 'returned' ? 'done' : 'failed';
  await ports.events.append(run, [{ type: 'late-outcome', at, call: plan.call, is }]);
}
