import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { publishReply, type ReplyPublisher } from '../../src/activities/publish-reply.ts';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent, StoredEvent } from '../../src/contracts/events.ts';
import { followReply, type ReplySoFar } from '../../src/policy/follow-reply.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { makeLocalPlace, type StorePlace } from '../stores/store-folder.ts';

let place: StorePlace;
let events: EventStore;
beforeEach(async () => {
  place = await makeLocalPlace('sqlite', 'events.db');
  events = openEvents(place.address);
});
afterEach(async () => {
  await events.close();
  await place.remove();
});

/** Attempts are scheduled one after the other. */
let scheduled = 0;

const text = (delta: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id: '0', delta });

function publish(
  about: { readonly turn?: number; readonly attempt?: number; readonly scheduledAt?: number } = {},
  store: Pick<EventStore, 'appendPieces'> = events,
  onTrouble: (error: unknown) => void = () => undefined,
): ReplyPublisher {
  const { turn = 1, attempt = 1, scheduledAt = ++scheduled } = about;
  return publishReply({ events: store, now: () => 7, onTrouble }, 'run', {
    call: `t${turn}`,
    turn,
    attempt,
    scheduledAt,
  });
}

const rebuilt = (seen: readonly RunEvent[]): ReplySoFar | undefined =>
  seen.reduce<ReplySoFar | undefined>(followReply, undefined);
const all = () => events.read('run', 0);
const shown = (seen: readonly StoredEvent[]) => seen.map((one) => (one.type === 'piece' ? one.delta : one.type));

describe('a reply while it comes', () => {
  test('is on record before it has ended, its first piece at once', async () => {
    const publisher = publish();
    publisher.show(text('Hel'));
    await events.untilAfter('run', 0, AbortSignal.timeout(5_000));
    expect(shown(await all())).toEqual(['Hel']);
    publisher.show(text('lo'));
    await publisher.end([]);
    expect(rebuilt(await all())).toMatchObject({ text: 'Hello', stream: 1 });
  });

  test('joined, is what came: text, reasoning, and the arguments of calls', async () => {
    const publisher = publish();
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'reasoning-delta', id: 'r', delta: 'so ' },
      { type: 'reasoning-delta', id: 'r', delta: 'then' },
      text('I refund '),
      { type: 'tool-input-start', id: 'c1', toolName: 'refund' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"order":' },
      text('it.'),
      { type: 'tool-input-delta', id: 'c1', delta: '"A-1"}' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input: '{"order":"of another provider"}' },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'note', input: '{}' },
    ];
    for (const part of parts) publisher.show(part);
    await publisher.end([{ type: 'said', at: 7, turn: 1, text: 'planned' }]);
    expect(rebuilt(await all())).toMatchObject({
      text: 'I refund it.',
      reasoning: 'so then',
      calls: [
        { part: 'c1', tool: 'refund', input: '{"order":"A-1"}' },
        { part: 'c2', tool: 'note', input: '{}' },
      ],
    });
    expect((await all()).at(-1)).toMatchObject({ type: 'said' });
  });

  test('is written in few transactions, whatever the number of its pieces', async () => {
    let writes = 0;
    const publisher = publish(
      {},
      {
        appendPieces: (run, decide) => {
          writes += 1;
          return events.appendPieces(run, decide);
        },
      },
    );
    for (let piece = 0; piece < 2_000; piece++) {
      publisher.show(text(`${piece} `));
      if (piece % 100 === 0) await new Promise((go) => setTimeout(go, 1));
    }
    await publisher.end([]);
    expect(writes).toBeLessThan(50);
    expect(rebuilt(await all())?.text).toBe(Array.from({ length: 2_000 }, (_, piece) => `${piece} `).join(''));
  });

  test('of any deltas is rebuilt exactly, half characters and zero signs included', async () => {
    const delta = fc.string({ unit: 'binary', maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(delta, { maxLength: 20 }), fc.integer({ min: 2, max: 1e6 }), async (deltas, turn) => {
        const publisher = publish({ turn });
        for (const one of deltas) publisher.show(text(one));
        await publisher.end([]);
        const reply = rebuilt(await all());
        expect(reply?.call === `t${turn}` ? reply.text : '').toBe(deltas.join(''));
      }),
      { numRuns: 20 },
    );
  });
});

describe('what some models do', () => {
  const call = (id: string, input: string): LanguageModelV4StreamPart => {
    return { type: 'tool-call', toolCallId: id, toolName: 'pay', input };
  };

  test('two calls under one id are two', async () => {
    const publisher = publish();
    for (const part of [call('c', '{"a":1}'), call('c', '{"b":2}')]) publisher.show(part);
    await publisher.end([]);
    expect(rebuilt(await all())?.calls).toMatchObject([{ input: '{"a":1}' }, { part: 'c#2', input: '{"b":2}' }]);
  });

  test('a call that the provider carries out itself is not shown as one of ours', async () => {
    const publisher = publish();
    publisher.show({ type: 'tool-input-start', id: 'c', toolName: 'search', providerExecuted: true });
    publisher.show({ type: 'tool-input-delta', id: 'c', delta: '{"q":1}' });
    publisher.show({ ...call('c', '{"q":1}'), providerExecuted: true } as LanguageModelV4StreamPart);
    await publisher.end([]);
    expect(await all()).toEqual([]);
  });

  test('an empty piece of arguments keeps nothing back of the final ones', async () => {
    const publisher = publish();
    publisher.show({ type: 'tool-input-delta', id: 'c', delta: '' });
    publisher.show(call('c', '{"a":1}'));
    await publisher.end([]);
    expect(rebuilt(await all())?.calls).toMatchObject([{ input: '{"a":1}' }]);
  });

  test('a character that is cut in two is shown once it is whole', async () => {
    const publisher = publish();
    const [first = '', second = ''] = '😀'.split('');
    publisher.show(text(`a${first}`));
    await events.untilAfter('run', 0, AbortSignal.timeout(5_000));
    publisher.show(text(`${second}b`));
    await publisher.end([]);
    expect(shown(await all()).every((delta) => delta.isWellFormed())).toBe(true);
    expect(rebuilt(await all())?.text).toBe('a😀b');
  });
});

describe('another attempt', () => {
  test('says so before its first piece, and not before it has one', async () => {
    const first = publish();
    first.show(text('Hel'));
    await first.end();
    const second = publish({ attempt: 2 });
    await second.end();
    expect(shown(await all())).toEqual(['Hel']);
    const third = publish({ attempt: 3 });
    third.show(text('Good day'));
    await third.end([]);
    expect(shown(await all())).toEqual(['Hel', 'reset', 'Good day']);
    expect(rebuilt(await all())).toMatchObject({ text: 'Good day', attempt: 3, stream: 2 });
  });

  test('that has a whole reply without a piece voids what was shown all the same', async () => {
    const first = publish();
    first.show(text('Hel'));
    await first.end();
    await publish({ attempt: 2 }).end([]);
    expect(rebuilt(await all())).toMatchObject({ text: '', stream: 2 });
  });

  test('silences the one before it, which may still be alive', async () => {
    const zombie = publish();
    zombie.show(text('old '));
    await events.untilAfter('run', 0, AbortSignal.timeout(5_000));
    const next = publish({ attempt: 2 });
    next.show(text('new '));
    await events.untilAfter('run', 1, AbortSignal.timeout(5_000));
    zombie.show(text('old too'));
    await zombie.end([{ type: 'said', at: 7, turn: 1, text: 'of the zombie' }]);
    next.show(text('and whole'));
    await next.end([]);
    expect(shown(await all())).toEqual(['old ', 'reset', 'new ', 'and whole']);
  });

  test('keeps one silent that was scheduled before it and has shown nothing yet', async () => {
    const still = publish({ attempt: 1 });
    const ofNextTurn = publish({ turn: 2, attempt: 1 });
    const next = publish({ attempt: 1 });
    next.show(text('new '));
    await events.untilAfter('run', 0, AbortSignal.timeout(5_000));
    still.show(text('old'));
    await still.end([{ type: 'said', at: 7, turn: 1, text: 'of the zombie' }]);
    next.show(text('and whole'));
    await next.end([]);
    expect(shown(await all())).toEqual(['new ', 'and whole']);
    ofNextTurn.show(text('of another time'));
    await ofNextTurn.end([]);
    expect(shown(await all())).toEqual(['new ', 'and whole']);
  });

  test('needs no reset where it is of another call', async () => {
    const first = publish();
    first.show(text('one'));
    await first.end([]);
    const next = publish({ turn: 2 });
    next.show(text('two'));
    await next.end([]);
    expect(shown(await all())).toEqual(['one', 'two']);
    expect(rebuilt(await all())).toMatchObject({ call: 't2', text: 'two', stream: 2 });
  });
});

describe('a store in trouble', () => {
  /** Fails by this script: before the write, or after it, when nobody hears that it held. */
  function failing(script: readonly ('before' | 'after' | 'no')[]): Pick<EventStore, 'appendPieces'> {
    let at = 0;
    return {
      appendPieces: async (run, decide) => {
        const how = script[at++] ?? 'no';
        if (how === 'before') throw new Error('away');
        const offset = await events.appendPieces(run, decide);
        if (how === 'after') throw new Error('the answer was lost');
        return offset;
      },
    };
  }

  test('costs no piece and doubles none, whether its writes held or not', async () => {
    const how = fc.constantFrom('before' as const, 'after' as const, 'no' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(how, { maxLength: 8 }), fc.nat({ max: 1e9 }), async (script, turn) => {
        const troubles: unknown[] = [];
        const publisher = publish({ turn }, failing(script), (error) => troubles.push(error));
        for (const word of ['a ', 'b ', 'c ', 'd ', 'e ']) {
          publisher.show(text(word));
          await new Promise((go) => setTimeout(go, 10));
        }
        await publisher.end([]);
        expect(rebuilt(await all())?.text).toBe('a b c d e ');
        expect(troubles.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  test('that was lost is told all of the reply once more', async () => {
    const publisher = publish();
    publisher.show(text('one '));
    await events.untilAfter('run', 0, AbortSignal.timeout(5_000));
    await rm(place.address.replace('sqlite:', ''));
    publisher.show(text('two'));
    await publisher.end([]);
    expect(rebuilt(await all())?.text).toBe('one two');
  });

  test('that stays away holds up the end of the attempt for two seconds, not for ever', async () => {
    const publisher = publish({}, failing(Array.from({ length: 10_000 }, () => 'before' as const)));
    publisher.show(text('never seen'));
    const began = performance.now();
    await publisher.end([]);
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(await all()).toEqual([]);
  });
});
