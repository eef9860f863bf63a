import { Client } from '@temporalio/client';
import type { Quorum } from '../contracts/approval.ts';
import type { RunCost } from '../contracts/cost.ts';
import type { Decider } from '../contracts/decider.ts';
import type { LedgerQuery, LedgerRecord } from '../contracts/ledger.ts';
import type { Prices } from '../contracts/price.ts';
import { RUN_DEFAULTS } from '../policy/define-agent.ts';
import { openEvents, openLedger } from '../stores/open-stores.ts';
import { connect } from '../temporal/connect.ts';
import { readSettings, type Settings } from '../temporal/settings.ts';
import { openChat, type ChatRecord } from './chat-record.ts';
import type { ClientParts } from './client-parts.ts';
import { hasWorker } from './has-worker.ts';
import { readInbox, readQuestions, type InboxItem, type Waiting } from './inbox.ts';
import { listRuns, type ListFilter, type RunRow } from './list-runs.ts';
import { readCosts, type CostQuery } from './read-costs.ts';
import { readLimits, type WorkerLimits } from './read-limits.ts';
import { openRun, type RunHandle } from './run-handle.ts';
import { startRun, type StartRequest } from './start-run.ts';

export interface ClientOptions {
  /** Where the server and the stores are. Default: the environment. */
  readonly settings?: Settings;
  /** The task queue of the workers. Default `holdfast`. */
  readonly taskQueue?: string;
  /** Store addresses, where they are not the environment's. */
  readonly ledger?: string;
  readonly events?: string;
  /** As the configuration has them: who may settle what no run waits for any more. */
  readonly deciders?: readonly Decider[];
  readonly quorum?: Quorum;
  /** As the configuration has them: what models cost, where the built-in table does not hold. */
  readonly prices?: Prices;
}

/** A client makes no stores: beside a file that was moved away, a new one would destroy what its log still holds. */
const LOOKS = Object.freeze({ creates: false });

/** Starts runs, reads them, settles what they ask. One connection; safe to share; `close` it at the end. */
export class AgentClient {
  readonly #parts: ClientParts;

  private constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** @throws ServerNotReached when no Temporal server answers. */
  static async connect(options: ClientOptions = {}): Promise<AgentClient> {
    const settings = options.settings ?? readSettings();
    const { connection, namespace, address } = await connect(settings);
    const eventsAddress = options.events ?? settings.events;
    return new AgentClient({
      client: new Client({ connection, namespace }),
      connection,
      namespace,
      address,
      taskQueue: options.taskQueue ?? RUN_DEFAULTS.taskQueue,
      ledger: openLedger(options.ledger ?? settings.ledger, LOOKS),
      events: openEvents(eventsAddress, LOOKS),
      chats: openEvents(eventsAddress),
      eventsAddress,
      deciders: options.deciders,
      quorum: options.quorum,
      prices: options.prices,
    });
  }

  /** Starts a run, or joins the one that is running under its id. @throws when the server refuses it. */
  async start(request: StartRequest): Promise<RunHandle> {
    return openRun(this.#parts, await startRun(this.#parts, request));
  }

  /** A handle; nothing is asked yet. */
  get(id: string): RunHandle {
    return openRun(this.#parts, id);
  }

  /** Runs, newest first, from what the server knows. */
  list(filter?: ListFilter): Promise<readonly RunRow[]> {
    return listRuns(this.#parts, filter);
  }

  /** What waits for a person, oldest first, one item per effect. */
  async inbox(): Promise<readonly InboxItem[]> {
    return (await readInbox(this.#parts)).items;
  }

  /** The inbox, and beside it the runs that wait for a person and cannot say what they ask. */
  waiting(): Promise<Waiting> {
    return readInbox(this.#parts);
  }

  /** As `inbox`, but with every question, also where several runs ask about one effect; or only those of one run. */
  questions(run?: string): Promise<readonly InboxItem[]> {
    return readQuestions(this.#parts, run);
  }

  /** Records of effects, oldest first. @throws LedgerUnavailable */
  ledger(query: LedgerQuery): Promise<readonly LedgerRecord[]> {
    return this.#parts.ledger.read(query);
  }

  /**
   * What runs have cost so far, in micro-dollars, and where their time went, newest first; also while they go on. Empty for a run
   * that nobody knows. A model without a price makes its requests `unknown`, never 0.
   */
  cost(query?: CostQuery): Promise<readonly RunCost[]> {
    return readCosts(this.#parts, query);
  }

  /** The messages of a chat, as `holdfast/chat` keeps them. @throws when only this machine would see them, and others run its agents. */
  chat(id: string): ChatRecord {
    return openChat(this.#parts, id);
  }

  /** Whether a worker polls the task queue that this client starts its runs on. */
  hasWorker(): Promise<boolean> {
    return hasWorker(this.#parts);
  }

  /** Breakers and retry throttles of the workers that are up. */
  limits(): Promise<readonly WorkerLimits[]> {
    return readLimits(this.#parts);
  }

  async close(): Promise<void> {
    const { connection, ledger, events, chats } = this.#parts;
    await Promise.all([connection.close(), ledger.close(), events.close(), chats.close()]);
  }
}
