import { openLedger } from '../../../src/stores/open-stores.ts';
import { claimOnce, keyOf } from '../ledger-entries.ts';
import { hangUp, heard, tell } from './parent.ts';

/** ADDRESS INTENT HOLDER: tells the ledger's id, waits for the word, tells whether it won the key. */
const [, , address = '', intent = '', holder = ''] = process.argv;
const ledger = openLedger(address);
const ready = heard();
tell(await ledger.id());
await ready;
const { answer } = await ledger.decide(keyOf(intent), claimOnce(intent, holder));
tell(answer);
await ledger.close();
hangUp();
