import { readFile, writeFile } from 'node:fs/promises';
import type { LedgerRecord } from '../contracts/ledger.ts';
import type { LedgerExport } from '../policy/verify-ledger.ts';

/** Writes records, one a line as JSON. @throws when the file is there already: an export is evidence, and not overwritten. */
export async function exportLedger(file: string, records: readonly LedgerRecord[]): Promise<void> {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  try {
    await writeFile(file, lines, { flag: 'wx' });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (!isThere) throw error;
    throw new Error(`${file} is there already. An export is not overwritten: name another file.`, { cause: error });
  }
}

/** Reads what `exportLedger` wrote. @throws with the line that is none. */
export async function readExport(file: string): Promise<LedgerExport> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`Cannot read the export ${file}: ${(cause as Error).message}`, { cause });
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) {
    throw new Error(
      `${file} holds no record, so it proves nothing. Was it cut off? An export is made with: holdfast ledger --export FILE`,
    );
  }
  return { name: file, records: lines.map((line, at) => readLine(line, `${file}, line ${at + 1}`)) };
}

function readLine(line: string, place: string): LedgerRecord {
  try {
    const record = JSON.parse(line) as Partial<LedgerRecord> | null;
    if (typeof record?.task === 'string' && typeof record.counter === 'number') return record as LedgerRecord;
  } catch {
    // Said below, with its place.
  }
  throw new Error(`${place} is no ledger record. An export is made with: holdfast ledger --export FILE`);
}
