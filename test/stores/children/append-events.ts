import { openEvents } from '../../../src/stores/open-stores.ts';
import { hangUp, heard, tell } from './parent.ts';

/** ADDRESS RUN WRITER COUNT: waits for the word, appends COUNT pairs of events, tells each offset. */
const [, , address = '', run = '', writer = '', count = '1'] = process.argv;
const events = openEvents(address);
const ready = heard();
tell('ready');
await ready;
for (let at = 0; at < Number(count); at++) {
  const said = { type: 'said', at, turn: 1, text: writer } as const;
  tell(await events.append(run, [said, { ...said, turn: 2 }]));
}
await events.close();
hangUp();
