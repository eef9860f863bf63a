// The door `holdfast/testing`.
export type { Answer, AskedCall, Conversation, HeardReply, Rule } from './rule.ts';
export { BadTranscript, scriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
export { startModelServer, type ModelRequest, type ModelServer, type ModelServerOptions } from './model-server.ts';
export type { ModelFault } from './model-fault.ts';
export { startFaultProxy, type FaultProxy, type FaultProxyOptions, type ProxiedRequest } from './fault-proxy.ts';
export type { FaultChance, FaultPlan, ProxyFault, ScriptedFault } from './proxy-fault.ts';
export { startPayments, type PaymentsOptions } from './payments.ts';
export type { PaymentMode, RefundTimes } from './payment-mode.ts';
export type { Arrival, Order, PaymentEffect } from './payment-rows.ts';
export { readPayments, type PaymentsCount } from './read-payments.ts';
export type { LocalServer } from './local-server.ts';
export type { RuleAddress } from './load-rule.ts';
export {
  startFaultProxyProcess,
  startModelServerProcess,
  startPaymentsProcess,
  startServerProcess,
  type ModelProcessOptions,
  type ServerProcess,
} from './server-process.ts';
export { listen, sendJson, serve, type Handle, type LocalRequest } from './local-server.ts';
export { serveUntilTold } from './serve-until-told.ts';
export { startGenerationServer, type GenerationBill, type GenerationServer } from './generation-server.ts';
export { runTool } from './run-tool.ts';
export { toolContext, type TestToolContext, type ToolContextOptions, type ToolRequest } from './tool-context.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
export { seededDice } from './seeded-dice.ts';
export { CONTENTION_DEFAULTS, playContention, type ContentionOptions, type ContentionReport } from './contention.ts';
export { compareContention, contentionTable } from './contention-table.ts';
export { createRecorder, recordModel, recordModelCalls, type Recorder, type RecorderOptions } from './record-model.ts';
export type { Recording } from './recording.ts';
export { readRecording } from './read-recording.ts';
export { NotRecorded } from './find-reply.ts';
export { replayModel, type ReplayOptions } from './replay-model.ts';
export { startReplayServer, type ReplayServerOptions } from './replay-server.ts';
export { replayAgent } from './replay-agent.ts';
export { jsonLogger, type JsonLogger } from './json-logger.ts';
export { traceOf } from '../policy/trace-of.ts';
export type { SpanContext, SpanLink, SpanRecord } from '../contracts/span.ts';
