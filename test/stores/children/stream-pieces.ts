import type { StreamEvent } from '../../../src/contracts/events.ts';
import { openEvents } from '../../../src/stores/open-stores.ts';
import { beginStream, piece, streamOf } from '../event-samples.ts';
import { hangUp, heard, tell } from './parent.ts';

/**
 * ADDRESS RUN ATTEMPT: waits for the word, begins a stream, says so, and writes pieces 1, 2, 3 until another attempt has
 * begun one or the next word comes. Tells `silenced`, or the last piece it wrote, and waits for that word.
 */
const [, , address = '', run = '', attempt = ''] = process.argv;
const events = openEvents(address);
const isMine = (newest: StreamEvent | undefined) => newest?.attempt === Number(attempt);
const ready = heard();
tell('ready');
await ready;
let isStopped = false;
const stopped = heard().then(() => (isStopped = true));
await events.appendPieces(run, beginStream(Number(attempt)));
tell('begun');
let wrote = 0;
let isSilenced = false;
while (!isStopped && !isSilenced) {
  await events.appendPieces(run, (newest) => {
    isSilenced = !isMine(newest);
    return isSilenced || !newest ? [] : [piece(String(wrote + 1), streamOf(newest.stream, newest.attempt))];
  });
  if (!isSilenced) wrote += 1;
}
tell(isSilenced ? 'silenced' : `wrote ${wrote}`);
await stopped;
await events.close();
hangUp();
