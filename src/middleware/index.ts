// What workers join into calls, and what people may put around theirs.
export { askProvider } from './ask-provider.ts';
export { breaker, type BreakerOptions } from './breaker.ts';
export { composeModelCall, wrapCall, type ModelCallParts } from './compose.ts';
export { costMeter, type CostMeter, type RequestEnd } from './cost-meter.ts';
export { fallback } from './fallback.ts';
export { hedge, type HedgeOptions } from './hedge.ts';
export { logModelCalls, logToolCalls, type LogLine, type LogOptions } from './log.ts';
export { createRateLimiter } from './rate-limiter.ts';
export { patience, type PatienceOptions } from './patience.ts';
export { rateLimit } from './rate-limit.ts';
export { systemClock } from './system-clock.ts';
export { toolCache, type ToolCacheOptions } from './tool-cache.ts';
export { createWorkerLimits, type WorkerLimitsOptions } from './worker-limits.ts';
export { classifyAttempt, readParking } from '../policy/classify-attempt.ts';
