import type { LedgerEntry, LedgerKey, LedgerRecord, LedgerStatement } from '../contracts/ledger.ts';
import { fromStorableText, toStorableText } from './storable-text.ts';

/** A record as a table holds it: what is searched by in columns, the rest of the statement as JSON. */
export interface LedgerRow {
  readonly task: string;
  readonly counter: number;
  readonly namespace: string;
  readonly scope: string;
  readonly intent: string;
  readonly run: string;
  readonly execution: string;
  readonly call: string;
  readonly tool: string;
  readonly generation: number;
  readonly at: number;
  readonly kind: string;
  readonly statement: string;
}

export function toRow(entry: LedgerEntry, counter: number): LedgerRow {
  const { key, task, run, execution, call, tool, generation, at, ...statement } = entry;
  return {
    ...toKeyColumns(key),
    task: toStorableText(task),
    counter,
    run: toStorableText(run),
    execution: toStorableText(execution),
    call: toStorableText(call),
    tool: toStorableText(tool),
    generation,
    at,
    kind: statement.is,
    statement: JSON.stringify(statement),
  };
}

export function toRecord(row: LedgerRow): LedgerRecord {
  // Typed by hand: `toRow` wrote it, and nothing changes a record.
  const statement = JSON.parse(row.statement) as LedgerStatement;
  return {
    key: {
      namespace: fromStorableText(row.namespace),
      scope: fromStorableText(row.scope),
      intent: fromStorableText(row.intent),
    },
    task: fromStorableText(row.task),
    counter: row.counter,
    run: fromStorableText(row.run),
    execution: fromStorableText(row.execution),
    call: fromStorableText(row.call),
    tool: fromStorableText(row.tool),
    generation: row.generation,
    at: row.at,
    ...statement,
  };
}

export function toKeyColumns({
  namespace,
  scope,
  intent,
}: LedgerKey): Pick<LedgerRow, 'namespace' | 'scope' | 'intent'> {
  return { namespace: toStorableText(namespace), scope: toStorableText(scope), intent: toStorableText(intent) };
}
