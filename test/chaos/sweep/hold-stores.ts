import type { Ledger, LedgerRecord } from '../../../src/contracts/ledger.ts';
import type { WorkerStores } from '../../../src/workers/open-worker-stores.ts';
import type { Hold } from './holding.ts';
import type { Boundary } from './sweep-case.ts';

/** The worker's stores, with a stop at every boundary that is a write to one of them. */
export function holdStores(stores: WorkerStores, hold: Hold): WorkerStores {
  const { ledger, transcripts, events } = stores;
  return {
    ledger: holdLedger(ledger, hold),
    transcripts: {
      ...transcripts,
      append: async (head, messages) => {
        if (messages.some(({ role }) => role === 'tool')) await hold('b11');
        return transcripts.append(head, messages);
      },
    },
    events: {
      ...events,
      append: async (run, added) => {
        const offset = await events.append(run, added);
        if (added.some((event) => event.type === 'request-sent')) await hold('b2');
        return offset;
      },
    },
    close: () => stores.close(),
  };
}

function holdLedger(ledger: Ledger, hold: Hold): Ledger {
  return {
    ...ledger,
    decide: async (key, decide) => {
      const decided = await ledger.decide(key, decide);
      for (const record of decided.written) {
        const boundary = boundaryAfter(record);
        if (boundary) await hold(boundary);
      }
      return decided;
    },
  };
}

function boundaryAfter({ is }: LedgerRecord): Boundary | undefined {
  if (is === 'claimed') return 'b7b';
  if (is === 'decided') return 'b13p';
  return is === 'settled' ? 'b13' : undefined;
}
