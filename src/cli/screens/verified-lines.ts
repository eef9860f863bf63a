import { describeFault, type LedgerFault } from '../../policy/verify-ledger.ts';
import { describeNote, type LedgerNote } from '../../policy/note-ledger.ts';
import { wrap } from './fit.ts';
import type { Screen } from './screen.ts';

export interface Verified {
  readonly records: number;
  readonly tasks: number;
  /** Exports it was compared with. */
  readonly compared: readonly { readonly name: string; readonly records: number }[];
  readonly faults: readonly LedgerFault[];
  /** No faults, but good to know. */
  readonly notes: readonly LedgerNote[];
}

/** What a check of the ledger found, and what else it saw. */
export function verifiedLines({ records, tasks, compared, faults, notes }: Verified, { paint, width }: Screen): string {
  const found =
    faults.length === 0
      ? paint.green('no gap, nothing changed, nothing gone')
      : paint.red(counted(faults.length, 'fault'));
  const bullets = (sentences: readonly string[]) =>
    sentences.flatMap((sentence) =>
      wrap(sentence, width - 4).map((line, at) => (at === 0 ? `  ${line}` : `    ${line}`)),
    );
  return [
    `${counted(records, 'record')} of ${counted(tasks, 'task')}: ${found}`,
    ...compared.map(({ name, records: count }) => `  against ${name}: ${counted(count, 'record')}`),
    ...bullets(faults.map(describeFault)),
    ...(notes.length === 0 ? [] : ['Good to know:', ...bullets(notes.map(describeNote))]),
  ].join('\n');
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
