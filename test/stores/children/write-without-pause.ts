import { openLedger } from '../../../src/stores/open-stores.ts';
import { claimed, keyOf } from '../ledger-entries.ts';
import { tell } from './parent.ts';

/** ADDRESS COMMIT_MS: appends as fast as it can, each time with the lock held as on a slow disk, until it is killed. */
const [, , address = '', commitMs = '0'] = process.argv;
const ledger = openLedger(address);
const entry = claimed({ key: keyOf('busy'), holder: 'busy' });
const append = () =>
  ledger.decide(entry.key, () => {
    const until = performance.now() + Number(commitMs);
    while (performance.now() < until);
    return { append: [entry], answer: null };
  });
await append();
tell('writing');
for (;;) await Promise.all([append(), append(), append()]);
