import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Duration } from './duration.ts';
import type { Tool } from './tool.ts';

/** Bounds of one run. Absent means none, except turns. */
export interface Limits {
  /** From the run's start. Time in which the run only waits for people does not count. */
  readonly deadline?: Duration;
  /** Model replies. Default 200. */
  readonly turns?: number;
}

/** The author's side of an agent. */
export interface AgentDefinition {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** Shown in lists and kept with each run. Default '1'. */
  readonly version?: string;
  readonly instructions: string;
  /** `provider/model`, or an AI SDK model. */
  readonly model: string | LanguageModelV4;
  readonly tools: readonly Tool[];
  readonly limits?: Limits;
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

/** What a worker and the CLI run from: the default export of `holdfast.config.ts`. */
export interface HoldfastConfig {
  readonly agents: readonly Agent[];
  /** Default `holdfast`. */
  readonly taskQueue?: string;
  /** `sqlite:PATH`. Default `sqlite:.holdfast/ledger.db`, or HOLDFAST_LEDGER. */
  readonly ledger?: string;
  /** `file:PATH`. Default `file:.holdfast/transcripts`, or HOLDFAST_TRANSCRIPTS. */
  readonly transcripts?: string;
  /** `sqlite:PATH`. Default `sqlite:.holdfast/events.db`, or HOLDFAST_EVENTS. */
  readonly events?: string;
  /** `compatible`: any server that speaks the OpenAI chat protocol, for models named `compatible/MODEL`. */
  readonly providers?: { readonly compatible?: CompatibleProvider };
}

/** A checked configuration. Made by `defineConfig` only. */
export interface Config extends HoldfastConfig {
  readonly taskQueue: string;
}
