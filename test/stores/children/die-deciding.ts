import { openLedger } from '../../../src/stores/open-stores.ts';
import { keyOf } from '../ledger-entries.ts';
import { tell } from './parent.ts';

/** ADDRESS INTENT: dies in the middle of a decision about the key, behind all its locks. */
const [, , address = '', intent = ''] = process.argv;
const ledger = openLedger(address);
tell(await ledger.id());
await ledger.decide(keyOf(intent), () => {
  process.kill(process.pid, 'SIGKILL');
  return { append: [], answer: null };
});
