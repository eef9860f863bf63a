import { openTranscripts } from '../../../src/stores/open-stores.ts';
import { hangUp, heard, tell } from './parent.ts';

/** ADDRESS SIZE: waits for the word, stores a text of SIZE characters, tells its hash, or the error. */
const [, , address = '', size = '1'] = process.argv;
const transcripts = openTranscripts(address);
const ready = heard();
tell('ready');
await ready;
tell(await transcripts.put('x'.repeat(Number(size))).catch(String));
await transcripts.close();
hangUp();
