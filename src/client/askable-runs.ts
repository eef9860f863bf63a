import { findSearchAttributes } from '../temporal/search-attributes.ts';
import type { ClientParts } from './client-parts.ts';
import { runsBy, type RunRow } from './list-runs.ts';

/** More waiting runs than this are more than anybody decides: the ledger still lists what they left unsettled. */
const MOST_RUNS = 10_000;

const OPEN = 'CloseTime IS NULL';
// A run that shows its status shows what it waits for too, and nothing there means nobody. One that shows none is asked.
const MAY_ASK = '(HoldfastStatus IS NULL OR HoldfastWaitingFor IN ("outcome", "approval"))';

/** Open runs that may wait for a person, by what they show of it; all open runs where the namespace lacks our search attributes. */
export async function askableRuns(parts: ClientParts): Promise<readonly RunRow[]> {
  const { HoldfastStatus, HoldfastWaitingFor } = await findSearchAttributes(parts.connection, parts.namespace);
  const isShown = HoldfastStatus.is === 'present' && HoldfastWaitingFor.is === 'present';
  const rows: RunRow[] = [];
  for await (const row of runsBy(parts, isShown ? `${OPEN} AND ${MAY_ASK}` : OPEN)) {
    rows.push(row);
    if (rows.length >= MOST_RUNS) break;
  }
  return rows;
}
