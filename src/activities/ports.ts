import type { AlertTimes } from '../contracts/agent-card.ts';
import type { Agent } from '../contracts/agent.ts';
import type { ApprovalTerms } from '../contracts/approval.ts';
import type { Decider } from '../contracts/decider.ts';
import type { CostAnswer, CostPace } from '../contracts/cost-look-up.ts';
import type { EndRecords } from '../contracts/end-records.ts';
import type { EventStore } from '../contracts/event-store.ts';
import type { RepliedBy } from '../contracts/events.ts';
import type { FetchRequest, ToolFetch } from '../contracts/fetch-record.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { ModelCall } from '../contracts/middleware.ts';
import type { LateOutcome } from '../contracts/messages.ts';
import type { Prices } from '../contracts/price.ts';
import type { RateLimiter, SharedLimits } from '../contracts/shared-limits.ts';
import type { ToolLog } from '../contracts/tool.ts';
import type { TranscriptStore } from '../contracts/transcript.ts';
import type { LineAbout } from '../policy/log-fields.ts';
import type { Notifier } from './notifier.ts';

/** What activities need of the world. Joined in `workers/`; nothing here knows which back end stands behind a port. */
export interface ActivityPorts {
  readonly namespace: string;
  /** Names this worker process in claims: people read it beside a lost call. */
  readonly holder: string;
  readonly agents: readonly Agent[];
  readonly ledger: Ledger;
  readonly transcripts: TranscriptStore;
  readonly events: EventStore;
  /** Breakers and retry throttles, shared by all agents of the worker. */
  readonly limits: SharedLimits;
  /** The rate limit of `tool:NAME`, where one is configured. */
  readonly limiterOf: (name: string) => RateLimiter | undefined;
  /** Keys of model providers: no message of an error shows them. */
  readonly knownSecrets: readonly string[];
  /** The agent's model call, with everything that is wrapped around it. @throws when a model cannot be opened. */
  readonly modelCallOf: (agent: Agent) => Promise<ModelCall>;
  /** As configured. */
  readonly prices: Prices | undefined;
  /** How requests and attempts ended: goes on record although the event store is away for a while. */
  readonly ends: EndRecords;
  /** When a provider is asked what a reply cost. Undefined: as usual. */
  readonly costPace: CostPace | undefined;
  /** Asks a provider what one of its replies cost. Never rejects. */
  readonly askCost: (reply: RepliedBy) => Promise<CostAnswer>;
  /** Opens the `fetch` of one attempt, which keeps account of what it sends. */
  readonly openFetch: (request: FetchRequest) => ToolFetch;
  /** Delivers news to the run, whichever execution of it is current. */
  readonly sendLateOutcome: (run: string, news: LateOutcome) => Promise<void>;
  /** As in the agent card. */
  readonly place: string;
  readonly searchAttributes: () => Promise<readonly string[]>;
  readonly approvals: ApprovalTerms;
  /** Who may decide. Undefined: whoever can write to the namespace. */
  readonly deciders: readonly Decider[] | undefined;
  /** How people are told of questions, and when. Undefined: they look into the inbox. */
  readonly alerts: { readonly notifier: Notifier; readonly times: AlertTimes; readonly webUi?: string } | undefined;
  readonly keySecrets: KeySecrets;
  /** A secret of the environment, by the variable's name. */
  readonly secretOf: (name: string) => string | undefined;
  readonly abandoned: AbandonedBodies;
  readonly logFor: (about: LineAbout) => ToolLog;
  readonly now: () => number;
  /** A number in [0, 1). */
  readonly dice: () => number;
}

/** Bodies that go on after sight of them was lost, so that their news can still count. */
export interface AbandonedBodies {
  /** `end` is called when there are too many, or the worker's grace is over. */
  keep(running: Promise<unknown>, end: (reason: string) => void): void;
}

/** Secrets that wire keys are made with, by name. New actions take `current`; an action keeps the one it began with. */
export interface KeySecrets {
  readonly current: string | undefined;
  readonly secrets: Readonly<Record<string, string>>;
}
