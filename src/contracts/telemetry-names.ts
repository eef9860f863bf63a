/**
 * Every name of a trace, a log line or a metric, in this one file: `gen_ai.*` is still in development, and a rename must be one
 * change. Standard names are those of the GenAI conventions v0.1.0; `holdfast.*` is ours.
 */
export const NAMES = Object.freeze({
  operation: 'gen_ai.operation.name',
  agent: 'gen_ai.agent.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseId: 'gen_ai.response.id',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  tool: 'gen_ai.tool.name',
  errorType: 'error.type',
  eventName: 'event.name',
  exceptionType: 'exception.type',
  exceptionMessage: 'exception.message',
  service: 'service.name',
  traceId: 'trace_id',
  spanId: 'span_id',
  activityType: 'temporal.activity.type',
  activityId: 'temporal.activity.id',
  workflowRunId: 'temporal.workflow.run_id',
  run: 'holdfast.run.id',
  call: 'holdfast.call.id',
  callAttempts: 'holdfast.call.attempts',
  callInputTokens: 'holdfast.call.input_tokens_total',
  callOutputTokens: 'holdfast.call.output_tokens_total',
  runCalls: 'holdfast.run.inference_calls',
  runToolCalls: 'holdfast.run.tool_calls',
  runAttempts: 'holdfast.run.attempts',
  segment: 'holdfast.segment.index',
  segmentEnd: 'holdfast.segment.end_reason',
  attempt: 'holdfast.attempt.number',
  attemptKind: 'holdfast.attempt.kind',
  attemptOutcome: 'holdfast.attempt.outcome',
  attemptRetryable: 'holdfast.attempt.retryable',
  attemptNextDelayMs: 'holdfast.attempt.next_delay_ms',
  attemptModel: 'holdfast.attempt.model',
  attemptTool: 'holdfast.attempt.tool',
  attemptInputTokens: 'holdfast.attempt.input_tokens',
  attemptOutputTokens: 'holdfast.attempt.output_tokens',
  errorReason: 'holdfast.error.reason',
  errorStatus: 'holdfast.error.status_code',
  waitMs: 'holdfast.wait.duration_ms',
  humanKind: 'holdfast.human.kind',
  humanOutcome: 'holdfast.human.outcome',
  link: 'holdfast.link',
  willRetry: 'will_retry',
  nextDelayMs: 'next_delay_ms',
  maxAttempts: 'max_attempts',
});

/** Names of log events. */
export const EVENTS = Object.freeze({
  attemptFailed: 'holdfast.attempt.failed',
  attemptParked: 'holdfast.attempt.parked',
  lateOutcome: 'holdfast.attempt.late_outcome',
  runStarted: 'holdfast.run.started',
  runFinished: 'holdfast.run.finished',
  humanRequested: 'holdfast.human.requested',
  humanResolved: 'holdfast.human.resolved',
});

/** The values of `error.type`: few, and the same on spans, log lines and metrics. `_OTHER` is OpenTelemetry's own. */
export type ErrorType =
  | 'timeout'
  | 'worker_lost'
  | 'connection'
  | 'rate_limited'
  | 'overloaded'
  | 'auth'
  | 'invalid_request'
  | 'context_length'
  | 'content_filter'
  | 'invalid_output'
  | 'tool_error'
  | 'tool_rejected'
  | 'human_timeout'
  | 'cancelled'
  | '_OTHER';
