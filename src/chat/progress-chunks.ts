import type { RunEvent } from '../contracts/events.ts';
import type { ChatChunk, ProgressData } from './chat-message.ts';

type Going = Extract<RunEvent, { type: 'attempt-started' | 'attempt-ended' | 'call-waits' }>;

/** Why an attempt failed is for operators: the browser is told only that something goes on. */
export function progressChunks(event: Going): readonly ChatChunk[] {
  const data = progressOf(event);
  return data ? [{ type: 'data-progress', data, transient: true }] : [];
}

function progressOf(event: Going): ProgressData | undefined {
  const { call, at } = event;
  if (event.type === 'call-waits') return { is: 'waits', of: 'model', call, until: at + event.waitMs };
  const { kind: of, attempt } = event;
  if (event.type === 'attempt-started') return attempt === 1 ? undefined : { is: 'again', of, call, attempt };
  return event.nextWaitMs === undefined ? undefined : { is: 'waits', of, call, until: at + event.nextWaitMs };
}
