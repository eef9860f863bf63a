import { describe, expect, it } from '@jest/globals';
import { joinPieces } from '../../src/chat/join-pieces.ts';
import type { RunEvent, StoredEvent } from '../../src/contracts/events.ts';
import { eventually } from '../support/eventually.ts';
import { piece, reset, said, story, words } from './run-story.ts';

async function joined(...events: readonly (RunEvent | readonly RunEvent[])[]): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const event of joinPieces(story(...events))) all.push(event.type === 'piece' ? event.delta : event.type);
  return all;
}

describe('pieces that are there together', () => {
  it('become one, under the place of the last', async () => {
    expect(await joined(words('t1', 'It is done.'), said(1, 'x'))).toEqual(['It is done.', 'said']);
    for await (const { offset } of joinPieces(story(words('t1', 'It is done.')))) expect(offset).toBe(3);
  });

  it('stay apart where they belong to other parts, streams or kinds', async () => {
    const parts = [piece('t1', 'a'), piece('t1', 'b', { part: 'q' }), piece('t1', 'c', { of: 'reasoning', part: 'q' })];
    const streams = [
      piece('t1', 'd'),
      piece('t1', 'e', { stream: 2 }),
      reset('t1', 3),
      piece('t1', 'f', { stream: 3 }),
    ];
    const all = await joined(...parts, ...streams, piece('t2', 'g', { stream: 3 }));
    expect(all).toEqual(['a', 'b', 'c', 'd', 'e', 'reset', 'f', 'g']);
  });

  it('grow to a few thousand characters and no more', async () => {
    const all = await joined(words('t1', 'word '.repeat(5_000)));
    expect(all.join('')).toBe('word '.repeat(5_000));
    expect(Math.max(...all.map(({ length }) => length))).toBeLessThan(5_000);
  });
});

/** Events that come when the test says so. */
function live() {
  let wake = Promise.withResolvers<StoredEvent>();
  let left = false;
  async function* events(): AsyncGenerator<StoredEvent> {
    try {
      for (;;) {
        const event = await wake.promise;
        wake = Promise.withResolvers();
        yield event;
      }
    } finally {
      left = true;
    }
  }
  return {
    events: events(),
    send: (event: RunEvent) => wake.resolve({ ...event, offset: 1 }),
    fail: (error: Error) => wake.reject(error),
    hasLeft: () => left,
  };
}

describe('what comes live', () => {
  it('is not held back for what may follow', async () => {
    const source = live();
    const reader = joinPieces(source.events);
    source.send(piece('t1', 'It '));
    expect((await reader.next()).value).toMatchObject({ delta: 'It ' });
    source.send(piece('t1', 'is.'));
    expect((await reader.next()).value).toMatchObject({ delta: 'is.' });
  });

  it('that breaks is said to whoever reads on, and to nobody else', async () => {
    const source = live();
    const reader = joinPieces(source.events);
    source.send(piece('t1', 'It '));
    await reader.next();
    source.fail(new Error('away'));
    await expect(reader.next()).rejects.toThrow('away');
  });

  it('is left when its reader leaves', async () => {
    const source = live();
    const reader = joinPieces(source.events);
    source.send(piece('t1', 'It '));
    await reader.next();
    const leaving = reader.return(undefined);
    source.send(piece('t1', 'is.'));
    await leaving;
    await eventually('the source to be left', () => source.hasLeft(), 1_000);
  });
});
