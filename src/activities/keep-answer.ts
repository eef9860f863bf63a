import type { AnswerRequest } from '../contracts/requests.ts';
import type { ActivityPorts } from './ports.ts';

/**
 * Keeps how a run ended, outside the server's retention: a second start under its id is given this answer. Written again
 * when the activity is repeated; the newest counts.
 */
export async function keepAnswer({ events, now }: ActivityPorts, { run, result }: AnswerRequest): Promise<void> {
  await events.append(run, [{ type: 'run-ended', at: now(), status: result.status, result }]);
}
