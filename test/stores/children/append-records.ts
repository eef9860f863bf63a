import { openLedger } from '../../../src/stores/open-stores.ts';
import { claimed, keyOf } from '../ledger-entries.ts';
import { hangUp, heard, tell } from './parent.ts';

/** ADDRESS TASK HOLDER COUNT: waits for the word, appends COUNT records under keys of its own, tells each counter. */
const [, , address = '', task = '', holder = '', count = '1'] = process.argv;
const ledger = openLedger(address);
const ready = heard();
tell(await ledger.id());
await ready;
for (let index = 0; index < Number(count); index++) {
  const intent = `${holder}:${index}`;
  const { written } = await ledger.decide(keyOf(intent), () => ({
    append: [claimed({ key: keyOf(intent), task, holder, text: 'x'.repeat(10_000) })],
    answer: null,
  }));
  tell(written[0]?.counter);
}
await ledger.close();
hangUp();
