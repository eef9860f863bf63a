import type { CallBill } from '../contracts/bill.ts';
import type { KeptAnswer, ModelRequest, RunIdentity } from '../contracts/requests.ts';
import { billOfCall, billOfRun, type BillSources } from '../policy/bill-of-calls.ts';
import { readCostEvents } from '../policy/read-cost-events.ts';
import type { ActivityPorts } from './ports.ts';

type BillPorts = Pick<ActivityPorts, 'events' | 'prices' | 'ends' | 'logFor'>;
type BilledRun = Pick<RunIdentity, 'run' | 'execution'>;

/**
 * What a model call has cost so far, failed attempts included, by what is on record about it. Undefined when that cannot be read:
 * then it is not known. Never rejects.
 */
export function billCall(
  ports: BillPorts,
  { run, execution, turn }: BilledRun & Pick<ModelRequest, 'turn'>,
): Promise<CallBill | undefined> {
  return bill(ports, { run, execution }, (sources) => billOfCall(`t${turn}`, sources));
}

/** The same of all calls of a run. Never rejects. */
export function billRun(ports: BillPorts, run: BilledRun): Promise<KeptAnswer | undefined> {
  return bill(ports, run, billOfRun);
}

async function bill<Told>(
  ports: BillPorts,
  { run, execution }: BilledRun,
  tell: (sources: BillSources) => Told,
): Promise<Told | undefined> {
  const { events, prices } = ports;
  try {
    await ports.ends.tried(run);
    // Before the store is read: what is written meanwhile comes twice, and would else be missed.
    const pending = ports.ends.pending(run);
    return tell({ events: [...(await readCostEvents(events, run, execution)), ...pending], prices });
  } catch (error) {
    const message = 'What was spent could not be read from the event store: the run counts it as unknown.';
    ports.logFor({ run }).warn(message, { error: String(error) });
    return undefined;
  }
}
