import { describe, expect, it } from '@jest/globals';
import type { ChatMessage } from '../../src/chat/chat-message.ts';
import { foldChat } from '../../src/chat/fold-chat.ts';
import { runOfMessage } from '../../src/chat/run-of-message.ts';
import { openChat } from '../../src/client/chat-record.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { textInput, textOf } from '../../src/chat/to-input.ts';

const entry = (id: string, run: string, again?: true) => ({ run, message: { id, parts: [] }, ...(again && { again }) });
const runsOf = (...entries: readonly ReturnType<typeof entry>[]) => foldChat(entries).map(({ run }) => run);

describe('the messages of a chat that count', () => {
  it('are in the order in which they came, each once', () => {
    expect(runsOf(entry('a', 'r1'), entry('b', 'r2'), entry('a', 'r1'))).toEqual(['r1', 'r2']);
  });

  it('end with the one that was asked anew', () => {
    expect(runsOf(entry('a', 'r1'), entry('b', 'r2'), entry('a', 'r1', true))).toEqual(['r1']);
  });

  it('have an edited one in the place of the old, whatever the front end says of it', () => {
    expect(runsOf(entry('a', 'r1'), entry('b', 'r2'), entry('a', 'r3'), entry('c', 'r4'))).toEqual(['r3', 'r4']);
  });
});

const text = (role: 'user' | 'assistant', ...texts: readonly string[]): ChatMessage => {
  return { id: 'm', role, parts: texts.map((one) => ({ type: 'text', text: one })) };
};

describe('the input', () => {
  it('is the text of a first message', () => {
    expect(textInput([text('user', 'Hello', 'there')])).toBe('Hello\nthere');
  });

  it('has what was said before, the oldest first, and leaves out the oldest that do not fit', () => {
    const long = text('assistant', 'x'.repeat(15_000));
    expect(textInput([text('user', 'one'), long, text('user', 'two')])).toEqual({
      message: 'two',
      earlier: [
        { from: 'user', text: 'one' },
        { from: 'agent', text: 'x'.repeat(15_000) },
      ],
    });
    const { earlier } = textInput([long, text('user', 'one'), long, text('user', 'two')]) as { earlier: unknown[] };
    expect(earlier).toEqual([
      { from: 'user', text: 'one' },
      { from: 'agent', text: 'x'.repeat(15_000) },
    ]);
  });

  it('has of an answer what was said in its last step', () => {
    const step = { type: 'step-start' } as const;
    const parts = [step, { type: 'text' as const, text: 'I look.' }, step, { type: 'text' as const, text: 'Done.' }];
    expect(textOf({ id: 'm', role: 'assistant', parts })).toBe('Done.');
  });
});

it('the run of a message is a function of what was sent, and can be a run', () => {
  const { parts } = text('user', 'Refund A-1.');
  const run = runOfMessage('c'.repeat(100), { id: 'm'.repeat(200), parts });
  expect(run).toBe(runOfMessage('c'.repeat(100), { id: 'm'.repeat(200), parts: structuredClone(parts) }));
  expect(run).toMatch(/^[\w.:@+/-]{1,200}$/);
});

it('a chat is not kept where only one of several machines would find it', () => {
  const eventsAddress = 'sqlite:/nowhere/events.db';
  const chats = openEvents(eventsAddress);
  const parts = { events: chats, chats, eventsAddress };
  expect(() => openChat({ ...parts, address: 'temporal.example.com:7233' }, 'c1')).toThrow(/shared=true/);
  expect(() => openChat({ ...parts, address: '127.0.0.1:7233' }, 'c1')).not.toThrow();
});
