import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import type { TranscriptStore } from '../../src/contracts/transcript.ts';
import { canonicalJson } from '../../src/contracts/canonical-json.ts';
import { openTranscripts } from '../../src/stores/open-stores.ts';
import { anyJson, anyText } from './arbitraries.ts';
import { useChildren } from './child.ts';
import type { StorePlace } from './store-folder.ts';

export const user = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] });

const NO_SUCH = '0'.repeat(64);

/** What every transcript store must do, whatever holds its parts. `makePlace` gives an address at which there is nothing yet. */
export function transcriptsContract(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} as a transcript store`, () => {
    const start = useChildren();
    let place: StorePlace;
    let transcripts: TranscriptStore;

    beforeEach(async () => {
      place = await makePlace();
      transcripts = openTranscripts(place.address);
    });

    afterEach(async () => {
      await transcripts.close();
      await place.remove();
    });

    test('a head names a conversation, oldest message first, also for whoever opens the store later', async () => {
      const first = await transcripts.append(null, [user('one'), user('two')]);
      const head = await transcripts.append(first, [user('three')]);
      transcripts = openTranscripts(place.address);

      expect(await transcripts.read(head)).toEqual([user('one'), user('two'), user('three')]);
      expect(await transcripts.read(first)).toEqual([user('one'), user('two')]);
    });

    test('a head depends on the messages alone, not on how they were handed over', async () => {
      const whole = await transcripts.append(null, [user('one'), user('two')]);
      const inParts = await transcripts.append(await transcripts.append(null, [user('one')]), [user('two')]);

      expect(inParts).toBe(whole);
    });

    test('the same message after another past is another head', async () => {
      const one = await transcripts.append(await transcripts.append(null, [user('one')]), [user('same')]);
      const other = await transcripts.append(await transcripts.append(null, [user('other')]), [user('same')]);

      expect(one).not.toBe(other);
    });

    test('two continuations of one head are both kept', async () => {
      const head = await transcripts.append(null, [user('one')]);
      const left = await transcripts.append(head, [user('left')]);
      const right = await transcripts.append(head, [user('right')]);

      expect(await transcripts.read(left)).toEqual([user('one'), user('left')]);
      expect(await transcripts.read(right)).toEqual([user('one'), user('right')]);
    });

    test('appending nothing answers the head; a conversation cannot begin with nothing', async () => {
      const head = await transcripts.append(null, [user('one')]);

      expect(await transcripts.append(head, [])).toBe(head);
      await expect(transcripts.append(null, [])).rejects.toThrow('Cannot begin a conversation without a message');
    });

    test('bytes and URLs of file parts come back as what they were', async () => {
      const data = new Uint8Array([0, 1, 127, 128, 255]);
      const file = (content: { type: 'data'; data: Uint8Array } | { type: 'url'; url: URL }) =>
        ({ type: 'file', mediaType: 'image/png', data: content }) as const;
      const message: LanguageModelV4Message = {
        role: 'user',
        content: [
          file({ type: 'data', data }),
          file({ type: 'data', data: Buffer.from(data) }),
          file({ type: 'url', url: new URL('https://example.com/a?b=c#d') }),
        ],
      };
      const [read] = await transcripts.read(await transcripts.append(null, [message]));

      expect(read).toStrictEqual({
        role: 'user',
        content: [message.content[0], file({ type: 'data', data }), message.content[2]],
      });
    });

    test('what cannot be kept without loss is refused with its place in the message', async () => {
      const message = {
        ...user('one'),
        providerOptions: { local: { when: new Date(0) } },
      } as unknown as LanguageModelV4Message;

      await expect(transcripts.append(null, [message])).rejects.toThrow(
        'Cannot write $.message.providerOptions.local.when as JSON: it is [object Date]',
      );
    });

    test('a value is named by the SHA-256 of its canonical JSON', async () => {
      const ref = await transcripts.put({ b: [1, 'é'], a: null });

      expect(ref).toBe(createHash('sha256').update('{"a":null,"b":[1,"é"]}').digest('hex'));
      expect(await transcripts.get(ref)).toEqual({ a: null, b: [1, 'é'] });
    });

    test('a missing part is an error that names it', async () => {
      await expect(transcripts.get(NO_SUCH)).rejects.toThrow(
        `Cannot read value ${NO_SUCH}: its part ${NO_SUCH} is missing`,
      );
      await expect(transcripts.read(NO_SUCH)).rejects.toThrow(`Cannot read conversation ${NO_SUCH}`);
      await expect(transcripts.append(NO_SUCH, [user('one')])).rejects.toThrow('is missing');
    });

    test('a value is not a conversation', async () => {
      const ref = await transcripts.put({ parent: null });

      await expect(transcripts.read(ref)).rejects.toThrow('holds a value, not a message');
    });

    test.each(['', 'abc', '../../secret', 'F'.repeat(64), `${'0'.repeat(64)}\n`])(
      '%j is not a reference',
      async (ref) => {
        await expect(transcripts.get(ref)).rejects.toThrow('is not 64 hex digits');
        await expect(transcripts.read(ref)).rejects.toThrow('is not 64 hex digits');
      },
    );

    test('a value that several processes write at once is never read in part', async () => {
      const size = 4_000_000;
      const writers = Array.from({ length: 3 }, () => start('put-value', [place.address, String(size)]));
      await Promise.all(writers.map((child) => child.hear()));
      for (const child of writers) child.say('go');
      const written = Promise.all(writers.map((child) => child.hear()));
      const ref = createHash('sha256')
        .update(canonicalJson('x'.repeat(size)))
        .digest('hex');

      await readUntilThere(transcripts, ref);
      expect(await written).toEqual([ref, ref, ref]);
      expect(await transcripts.get(ref)).toHaveLength(size);
    });

    test('reads back any value', async () => {
      await fc.assert(
        fc.asyncProperty(anyJson, async (value) => {
          expect(await transcripts.get(await transcripts.put(value))).toEqual(value);
        }),
      );
    });

    test('reads back any conversation', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyMessage, { minLength: 1, maxLength: 5 }), async (messages) => {
          expect(await transcripts.read(await transcripts.append(null, messages))).toEqual(messages);
        }),
      );
    });
  });
}

/** Reads again and again while the value is missing; anything but missing or whole is an error. */
async function readUntilThere(transcripts: TranscriptStore, ref: string): Promise<void> {
  for (;;) {
    try {
      await transcripts.get(ref);
      return;
    } catch (error) {
      if (!String(error).includes('is missing')) throw error;
    }
  }
}

/** Objects as tools and providers make them, with keys that look like our own marks. */
const anyInput = fc.dictionary(fc.oneof(fc.constantFrom('$bytes', '$url', '$$', '$ref', 'a'), anyText), anyJson);

const anyMessage: fc.Arbitrary<LanguageModelV4Message> = fc.oneof(
  anyText.map((content) => ({ role: 'system', content }) as const),
  anyText.map(user),
  fc.uint8Array().map((data): LanguageModelV4Message => ({
    role: 'user',
    content: [{ type: 'file', mediaType: 'application/pdf', data: { type: 'data', data } }],
  })),
  anyInput.map((input): LanguageModelV4Message => ({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input }],
  })),
  anyJson.map((value): LanguageModelV4Message => ({
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'refund',
        // The port knows what JSON is; the SDK's own type of it is not read-only.
        output: { type: 'json', value: value as never },
      },
    ],
  })),
);
