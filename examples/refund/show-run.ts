import type { RunHandle } from '../../src/index.ts';
import type { StoredEvent } from '../../src/contracts/events.ts';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';

/** Prints what a run did: each attempt with its wait, the ledger, and what the model was told. */
export async function showRun(
  run: RunHandle,
  records: readonly LedgerRecord[],
  say: (line: string) => void,
): Promise<void> {
  const events: StoredEvent[] = [];
  for await (const event of run.watch()) events.push(event);
  say('  attempts');
  for (const event of events) {
    const line = attemptLine(event, events);
    if (line) say(`    ${line}`);
  }
  say('  what the model was told');
  for (const event of events)
    if (event.type === 'call-answered')
      say(`    ${event.call.padEnd(6)}${event.reply.status}${event.reply.message ? `: ${event.reply.message}` : ''}`);
  say('  ledger');
  for (const record of records) say(`    ${ledgerLine(record)}`);
}

function attemptLine(event: StoredEvent, events: readonly StoredEvent[]): string | undefined {
  if (event.type === 'late-outcome') return `${event.call.padEnd(6)}late news: ${event.is}`;
  if (event.type !== 'attempt-started') return undefined;
  const end = events.find(
    (one) => one.type === 'attempt-ended' && one.call === event.call && one.attempt === event.attempt,
  );
  const about = `${event.call.padEnd(6)}${event.name.padEnd(22)}attempt ${event.attempt}`;
  if (end?.type !== 'attempt-ended') return `${about}   no word of its end: the worker was lost`;
  const took = `${((end.at - event.at) / 1_000).toFixed(1)} s`.padStart(7);
  const wait = end.nextWaitMs === undefined ? '' : ` · waits ${(end.nextWaitMs / 1_000).toFixed(1)} s`;
  return `${about}${took}   ${end.outcome}${end.failure ? `: ${end.failure.message}` : ''}${wait}`;
}

function ledgerLine(record: LedgerRecord): string {
  const head = `${String(record.counter).padEnd(3)}${record.is.padEnd(14)}${record.key.intent}`;
  switch (record.is) {
    case 'claimed':
      return `${head}   sends by ${new Date(record.sendBy).toISOString().slice(11, 19)}`;
    case 'settled':
      return `${head}   ${record.decision.verdict}, by ${record.decision.by}: ${record.decision.reason}`;
    case 'unknown':
      return `${head}   ${record.failure.message}`;
    case 'done':
      return `${head}   ${record.late ? 'late news' : 'in time'}`;
    case 'not-executed':
      return `${head}   ${record.proof}`;
    case 'failed':
      return `${head}   ${record.message}`;
    case 'decided':
    case 'declined':
      return `${head}   ${record.decision.verdict}, by ${record.decision.by}`;
    case 'withdrawn':
    case 'ruled':
      return head;
  }
}
