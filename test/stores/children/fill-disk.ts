import { openLedger } from '../../../src/stores/open-stores.ts';
import { claimed, keyOf } from '../ledger-entries.ts';
import { hangUp, tell } from './parent.ts';

/** ADDRESS TASK: appends until the ledger refuses, tells the error and the task's counter before and after it. */
const [, , address = '', task = ''] = process.argv;
const ledger = openLedger(address);
const entry = claimed({ key: keyOf('big'), task, holder: 'filler', text: 'x'.repeat(100_000) });
let acknowledged = 0;
try {
  for (;;) {
    const { written } = await ledger.decide(entry.key, () => ({ append: [entry], answer: null }));
    acknowledged = written[0]?.counter ?? 0;
  }
} catch (error) {
  if (!(error instanceof Error)) throw error;
  tell({ name: error.name, message: error.message, acknowledged, counter: await ledger.counter(task) });
}
hangUp();
