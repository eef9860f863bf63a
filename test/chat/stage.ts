import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { openChat } from '../../src/client/chat-record.ts';
import type { RunRow } from '../../src/client/list-runs.ts';
import { readEvents } from '../../src/client/read-events.ts';
import type { StartRequest } from '../../src/client/start-run.ts';
import { watchRun, type WatchOptions } from '../../src/client/watch-run.ts';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { openEvents } from '../../src/stores/open-stores.ts';

/** Runs that a test plays by hand, in a real event store, and a client that knows only them. */
export interface Stage {
  readonly client: ChatClient;
  readonly events: EventStore;
  /** What has been asked to start, joined runs included. */
  readonly starts: readonly StartRequest[];
  /** How many readers follow runs at this moment. */
  watchers(): number;
  /** How many events readers have been given. */
  given(): number;
  tell(run: string, ...events: readonly (RunEvent | readonly RunEvent[])[]): Promise<void>;
  /** As the server says when a run is over; a run that is started again is open anew. */
  close(run: string): void;
  reopen(run: string): void;
  leave(): Promise<void>;
}

interface Known {
  readonly startedAt: number;
  readonly closedAt?: number;
}

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-chat-'));
  const address = `sqlite:${join(folder, 'events.db')}`;
  const events = openEvents(address);
  const runs = new Map<string, Known>();
  const starts: StartRequest[] = [];
  let watchers = 0;
  let given = 0;

  async function* watch(run: string, options: WatchOptions) {
    watchers += 1;
    try {
      for await (const event of watchRun({ events }, run, options, () => Promise.resolve(lookAt(run)))) {
        given += 1;
        yield event;
      }
    } finally {
      watchers -= 1;
    }
  }

  const lookAt = (run: string) => {
    const { startedAt = 0, closedAt } = runs.get(run) ?? {};
    return { isOver: closedAt !== undefined, startedAt };
  };
  const get: ChatClient['get'] = (id) => ({
    id,
    describe: () => Promise.resolve(runs.has(id) ? rowOf(id, runs.get(id)) : undefined),
    events: (options) => readEvents({ events }, id, options),
    watch: (options = {}) => watch(id, options),
    result: () => Promise.reject(new Error(`Run ${id} ended without an answer: terminated`)),
  });

  return {
    client: {
      get,
      chat: (id) => openChat({ events, chats: events, eventsAddress: address, address: '127.0.0.1:7233' }, id),
      start: (request) => {
        starts.push(request);
        const { runId = '' } = request;
        if (!runs.has(runId)) runs.set(runId, { startedAt: Date.now() });
        return Promise.resolve(get(runId));
      },
    },
    events,
    starts,
    watchers: () => watchers,
    given: () => given,
    async tell(run, ...told) {
      await events.append(run, told.flat());
    },
    close(run) {
      runs.set(run, { startedAt: 0, ...runs.get(run), closedAt: Date.now() });
    },
    reopen(run) {
      runs.set(run, { startedAt: Date.now() });
    },
    async leave() {
      await events.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function rowOf(run: string, { startedAt, closedAt }: Known = { startedAt: 0 }): RunRow {
  const temporalStatus = closedAt === undefined ? 'RUNNING' : 'TERMINATED';
  const about = { run, agent: 'support', taskId: run, status: 'running', waitingFor: [], temporalStatus };
  return { ...about, startedAt, closedAt };
}
