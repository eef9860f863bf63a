import type { AnswerRequest, KeptAnswer } from '../contracts/requests.ts';
import { NO_BILLS, spentOf } from '../policy/run-bills.ts';
import { billRun } from './bill-calls.ts';
import type { ActivityPorts } from './ports.ts';

/**
 * Keeps how a run ended, outside the server's retention: a second start under its id is given this answer. Written again
 * when the activity is repeated; the newest counts. What the run cost is worked out once more: corrections have come in meanwhile,
 * and calls that were stopped have not told theirs.
 */
export async function keepAnswer(ports: ActivityPorts, { run, execution, result }: AnswerRequest): Promise<KeptAnswer> {
  const { bill, missing } = (await billRun(ports, { run, execution })) ?? { missing: [] };
  // An event store that was lost knows less than the run, which has added up what its calls said.
  const isWhole = bill !== undefined && bill.spend.requests >= (result.spend.cost?.requests ?? 0);
  const kept = isWhole ? { ...result, ...spentOf({ ...NO_BILLS, settled: bill }) } : result;
  await ports.events.append(run, [{ type: 'run-ended', at: ports.now(), status: result.status, result: kept }]);
  return { missing, ...(isWhole && { bill }) };
}
