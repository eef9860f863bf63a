// A run that begins to look for costs, twice for one call, and ends before anything can have been found.
import { beginCostLookUp } from '../../src/workflows/cost-look-up.ts';

export { costLookUp } from '../../src/workflows/index.ts';

export async function looksAndEnds(run: string): Promise<void> {
  const request = { run, execution: 'one', call: 't1', pace: { waitsMs: [500], forMs: 5_000 } };
  await beginCostLookUp(request);
  await beginCostLookUp(request);
}
