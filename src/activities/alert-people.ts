import type { AlertRequest } from '../contracts/requests.ts';
import { composeAlert } from '../policy/compose-alert.ts';
import type { ActivityPorts } from './ports.ts';

type Ports = Pick<ActivityPorts, 'alerts' | 'namespace' | 'place' | 'now'>;

/** Tells people of a question. @throws when they could not be told: the attempt is repeated, and receivers drop repeats. */
export async function alertPeople({ alerts, namespace, place, now }: Ports, request: AlertRequest): Promise<void> {
  if (!alerts) return;
  await alerts.notifier.send(composeAlert(request, { namespace, place, webUi: alerts.webUi, at: now() }));
}
