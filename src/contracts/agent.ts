import type { Quorum } from './approval.ts';
import type { BackoffSettings } from './backoff.ts';
import type { Decider } from './decider.ts';
import type { Duration } from './duration.ts';
import type { ModelMiddleware } from './middleware.ts';
import type { BuiltIn, ModelChoice, ModelRef } from './model-choice.ts';
import type { Prices } from './price.ts';
import type { Tool } from './tool.ts';

/** Bounds of one run. Absent means none, except turns. */
export interface Limits {
  /** From the run's start. Time in which the run only waits for people does not count. */
  readonly deadline?: Duration;
  /** Model replies. Default 200. */
  readonly turns?: number;
  /** How often an unflagged tool without `intent` may be called with equal arguments before somebody must agree. Default 2. */
  readonly equalCalls?: number;
  /** How often a call may fail, repeated as it was, before somebody must agree; one that cannot run ends the run. Default 3. */
  readonly equalFailures?: number;
  /** Attempts of one model call that sent something, the first included. Default 5. */
  readonly modelAttempts?: number;
  /** Repeated attempts of the whole run; each call that succeeds gives back a tenth. Default 12. */
  readonly retries?: number;
  /** Time the run may spend on repeating: its own waits and the repeated attempts. Default 45 s. */
  readonly retryTime?: Duration;
}

/** The author's side of an agent. */
export interface AgentDefinition {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** Shown in lists and kept with each run. Default '1'. */
  readonly version?: string;
  readonly instructions: string;
  /** `provider/model`, an AI SDK model, or several of them. */
  readonly model: ModelRef | ModelChoice;
  readonly tools: readonly Tool[];
  readonly limits?: Limits;
  /** Wraps each attempt of a model call, the outermost first; around everything that is built in. */
  readonly use?: readonly ModelMiddleware[];
  /** The waits before a model call is repeated. */
  readonly backoff?: BackoffSettings;
  /**
   * Asked first about an error of a model call: `retry`, `stop`, or undefined to leave it to the classifier. An error in it counts as
   * undefined. It is not asked about the run's own end, nor about what the breaker kept back.
   */
  readonly classify?: (error: unknown) => 'retry' | 'stop' | undefined;
  /** Built-in parts of a model call that this agent does without. */
  readonly without?: readonly BuiltIn[];
  /** Workflow id that is told of this agent's unknown outcomes when the run has no parent. */
  readonly escalateTo?: string;
}

/** A checked agent. Made by `defineAgent` only. */
export interface Agent extends AgentDefinition {
  readonly version: string;
}

/** A server that speaks the OpenAI chat protocol. */
export interface CompatibleProvider {
  readonly baseURL: string;
  readonly apiKey?: string;
}

/** Where a provider is, and its key. Default: its public address, and the key in its usual environment variable. */
export interface ProviderSettings {
  readonly baseURL?: string;
  readonly apiKey?: string;
}

/** Settings of the providers that models are opened from by name (docs/providers.md). */
export interface Providers {
  /** For `openai/…` and `openai-responses/…`. */
  readonly openai?: ProviderSettings;
  readonly anthropic?: ProviderSettings;
  readonly google?: ProviderSettings;
  readonly openrouter?: ProviderSettings;
  readonly azure?: ProviderSettings & { readonly resourceName?: string; readonly apiVersion?: string };
  readonly bedrock?: ProviderSettings & { readonly region?: string };
  /** Any server that speaks the OpenAI chat protocol, for `compatible/…`. */
  readonly compatible?: CompatibleProvider;
}

/** What a worker and the CLI run from: the default export of `holdfast.config.ts`. */
export interface HoldfastConfig {
  readonly agents: readonly Agent[];
  /** Default `holdfast`. */
  readonly taskQueue?: string;
  /** `sqlite:PATH` or `postgres://USER@HOST/DATABASE` (docs/stores.md). Default `sqlite:.holdfast/ledger.db`, or HOLDFAST_LEDGER. */
  readonly ledger?: string;
  /** `file:PATH`. Default `file:.holdfast/transcripts`, or HOLDFAST_TRANSCRIPTS. */
  readonly transcripts?: string;
  /** `sqlite:PATH` or `postgres://USER@HOST/DATABASE`. Default `sqlite:.holdfast/events.db`, or HOLDFAST_EVENTS. */
  readonly events?: string;
  /** Who may settle outcomes and approve calls. Absent: anybody who can write to the namespace. */
  readonly deciders?: readonly Decider[];
  readonly approvals?: {
    /** Unanswered so long, a question for approval expires and is asked again. Default 7 days. */
    readonly expire?: Duration;
    /** From which amount on two different people must agree, on approvals and on outcomes. */
    readonly quorum?: Quorum;
  };
  /** How people are told that a question waits. Absent: they look into the inbox. */
  readonly notify?: Notify;
  /** How fast requests may begin, shared by all agents of a worker: by provider (`openai`), or by tool (`tool:NAME`). */
  readonly rateLimits?: Readonly<Record<string, RateLimit>>;
  /** When a provider or a tool that keeps failing is given a pause, shared by all agents of a worker. */
  readonly breaker?: BreakerSettings;
  /** What models cost, in USD per 1,000,000 tokens, by `account/model`. It beats the built-in table, which knows public list prices. */
  readonly prices?: Prices;
  /** Addresses and keys of model providers, where the usual ones do not hold. */
  readonly providers?: Providers;
}

/** A token bucket: one request per interval, and so many at once after a pause. */
export interface RateLimit {
  readonly every: Duration;
  /** Default 1. */
  readonly burst?: number;
}

/** A circuit breaker's settings. */
export interface BreakerSettings {
  /** Failures in a row that open it. Default 5. */
  readonly failures?: number;
  /** From opening to the first attempt that looks whether the other side is back. Default 20 s. */
  readonly pause?: Duration;
  /** Calls that waited come back spread over this time. Default 10 s. */
  readonly spread?: Duration;
}

/** A webhook for questions. Secrets come by environment only. */
export interface Notify {
  /** An `https:` URL, or `http:` on the own machine. `env:NAME` where the address itself is a secret, as with Slack. */
  readonly url: string;
  /** Where a question goes that nobody answered for `escalateAfter`. Default: `url` again. */
  readonly escalateUrl?: string;
  /** `json` (default): signed by the Standard Webhooks convention. `slack`: what a Slack incoming webhook reads. */
  readonly format?: 'json' | 'slack';
  /** Environment variable with the signing secret (`whsec_` and base64). Default HOLDFAST_NOTIFY_SECRET; unset: unsigned. */
  readonly secretEnv?: string;
  /** Told once more after this time. Default 1 hour. */
  readonly remindAfter?: Duration;
  /** Default: never. */
  readonly escalateAfter?: Duration;
  /** Base address of the Temporal Web UI, for the link. */
  readonly webUi?: string;
}

/** A checked configuration. Made by `defineConfig` only. */
export interface Config extends HoldfastConfig {
  readonly taskQueue: string;
}
