import { expect, test } from '@jest/globals';
import type { AgentClient } from '../../src/client/agent-client.ts';
import type { InboxItem } from '../../src/client/inbox.ts';
import type { StoredEvent } from '../../src/contracts/events.ts';
import { findExpired } from '../../src/cli/find-expired.ts';
import { APPROVAL } from './samples.ts';

const EVENTS: readonly StoredEvent[] = [
  { type: 'question-expired', at: 1, question: 'qother1', call: 't9c9', offset: 1 },
  { type: 'question-expired', at: 2, question: 'qfirst1', call: APPROVAL.call, offset: 2 },
];

/** A client of which only the events of a run are asked. */
const client = { get: () => ({ events: () => Promise.resolve(EVENTS) }) } as unknown as AgentClient;
const asked = (round: number): InboxItem => {
  return { question: { ...APPROVAL, round }, agent: 'support', turn: 1, from: 'run' };
};

test.each([
  ['the question that is asked in its place', 'qfi', 1, { was: 'qfirst1', now: { id: APPROVAL.id } }],
  ['nothing of another call', 'qother1', 1, undefined],
  ['nothing where none has expired', 'qfirst1', 0, undefined],
])('of an expired id is found %s', async (_, typed, round, expected) => {
  const found = await findExpired(client, typed, [asked(round)]);
  if (expected) expect(found).toMatchObject(expected);
  else expect(found).toBeUndefined();
});
