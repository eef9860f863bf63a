import { storedFromBytes } from '../contracts/content.ts';
import { foldKey } from '../policy/fold-key.ts';
import { describeDecision } from '../policy/settle-key.ts';
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
  const { run, plan } = claimed.request;
  const at = ports.now();
  const contradicts = body.is === 'returned' ? await recordLate(ports, claimed, body.value, isOver) : undefined;
  const is = body.is === 'returned' ? 'done' : 'failed';
  await ports.events.append(run, [
    { type: 'late-outcome', at, call: plan.call, is, ...(contradicts && { contradicts }) },
  ]);
}

/** Records a late success and tells the run. Returns the decision that it contradicts, for people: both stay on record. */
async function recordLate(
  ports: ActivityPorts,
  claimed: ClaimedAttempt,
  value: unknown,
  isOver: () => boolean,
): Promise<string | undefined> {
  const { request, claim, tool } = claimed;
  const { run, plan } = request;
  const { result } = await readResult(ports, tool, value, storedFromBytes(request.callsInTurn));
  const entry = entryFor(claimed, ports.now(), { is: 'done', claim: claim.id, result, late: true });
  const written = await writeRecord(ports, entry, ports.now() + NEWS_WAIT_MS, isOver);
  if ('pending' in written) return undefined;
  await ports.sendLateOutcome(run, { call: plan.call, claim: claim.id });
  const state = foldKey(await ports.ledger.read({ key: plan.key }));
  const decision = state.is === 'done' ? state.contradicts?.decision : undefined;
  if (!decision) return undefined;
  const said = describeDecision(decision);
  ports.logFor({ run, call: plan.call }).warn('An effect is there that a decision denies. Look at it.', { said });
  return said;
}
