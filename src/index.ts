export { defineAgent, defineConfig } from './policy/define-agent.ts';
export { defineTool } from './policy/define-tool.ts';
export { NotExecuted, ToolRefused } from './contracts/tool.ts';
export type {
  Confirmation,
  Intent,
  Prior,
  RepeatRule,
  RunFacts,
  Tool,
  ToolCall,
  ToolCallRequest,
  ToolContext,
  ToolDefinition,
  ToolMiddleware,
} from './contracts/tool.ts';
export type {
  Agent,
  AgentDefinition,
  BreakerSettings,
  Config,
  HoldfastConfig,
  Limits,
  Notify,
  RateLimit,
} from './contracts/agent.ts';
export type { BackoffSettings, Jitter } from './contracts/backoff.ts';
export type { BuiltIn, ModelChoice, ModelRef } from './contracts/model-choice.ts';
export type {
  ModelCall,
  ModelCallRequest,
  ModelMiddleware,
  ModelReplyStream,
  ModelTarget,
} from './contracts/middleware.ts';
export type { LimitSnapshot, RateLimiter } from './contracts/shared-limits.ts';
export {
  createRateLimiter,
  logModelCalls,
  logToolCalls,
  rateLimit,
  systemClock,
  toolCache,
} from './middleware/index.ts';
export type { WorkerLimits } from './client/read-limits.ts';
export type { Amount } from './contracts/amount.ts';
export type { Quorum } from './contracts/approval.ts';
export type { CostTotals, Money } from './contracts/bill.ts';
export type { AttemptCost, CallCost, Cost, RequestCost, RunCost, TimeSplit, TurnCost } from './contracts/cost.ts';
export type { CostPace } from './contracts/cost-look-up.ts';
export type { Decider } from './contracts/decider.ts';
export type { ModelPrice, Price, Prices } from './contracts/price.ts';
export { createAgentWorker, type AgentWorker, type AgentWorkerOptions } from './workers/create-agent-worker.ts';
export { AgentClient, type ClientOptions } from './client/agent-client.ts';
export type { ApprovalInput, DecisionInput, RunHandle } from './client/run-handle.ts';
export type { InboxItem } from './client/inbox.ts';
export type { ChatEntry, ChatRecord } from './client/chat-record.ts';
export type { ListFilter, RunRow } from './client/list-runs.ts';
export type { CostQuery } from './client/read-costs.ts';
export type { SettleResult } from './client/settle.ts';
export type { StartRequest } from './client/start-run.ts';
export type { ApprovalQuestion, OutcomeQuestion, Question } from './contracts/question.ts';
export type { RunResult, RunView } from './contracts/run.ts';
