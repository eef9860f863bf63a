import { describeFault, type LedgerFault } from '../../policy/verify-ledger.ts';
import type { Screen } from './screen.ts';

export interface Verified {
  readonly records: number;
  readonly tasks: number;
  /** Exports it was compared with. */
  readonly compared: readonly { readonly name: string; readonly records: number }[];
  readonly faults: readonly LedgerFault[];
}

/** What a check of the ledger found. */
export function verifiedLines({ records, tasks, compared, faults }: Verified, { paint }: Screen): string {
  const against = compared.map(({ name, records: count }) => `  against ${name}: ${count} records`);
  const head = `${records} ${records === 1 ? 'record' : 'records'} of ${tasks} ${tasks === 1 ? 'task' : 'tasks'}: `;
  if (faults.length === 0)
    return [`${head}${paint.green('no gap, nothing changed, nothing gone')}`, ...against].join('\n');
  const found = faults.map((fault) => `  ${describeFault(fault)}`);
  return [`${head}${paint.red(`${faults.length} faults`)}`, ...found, ...against].join('\n');
}
