import type { Clock } from '../contracts/clock.ts';
import type { ModelMiddleware } from '../contracts/middleware.ts';
import type { ToolMiddleware } from '../contracts/tool.ts';
import { readErrorFacts } from '../policy/error-facts.ts';
import { observeStream, type StreamEnd } from './observe-stream.ts';

/** Metadata only: never a prompt, an argument or an answer. */
export type LogLine = (message: string, fields: Fields) => void;
type Fields = Readonly<Record<string, string | number | boolean>>;

export interface LogOptions {
  readonly clock: Clock;
  readonly log: LogLine;
}

/** One line for each request to a model, when it has ended. Where it stands in the chain decides what it sees. */
export function logModelCalls({ clock, log }: LogOptions): ModelMiddleware {
  return (next) => async (request) => {
    const { caller, target, part, reason, signal } = request;
    const began = clock.now();
    const { account, model } = target;
    const { scheduledAt: _, ...who } = caller;
    const fields = { ...who, account, model, part, reason };
    const say = (outcome: string, error?: unknown) =>
      log('model request', withEnd(fields, clock.now() - began, outcome, error));
    try {
      const reply = await next(request);
      return { ...reply, stream: observeStream(reply.stream, { signal, onEnd: (end) => say(end.is, errorOf(end)) }) };
    } catch (error) {
      say('broken', error);
      throw error;
    }
  };
}

/** One line for each execution of a tool, when it has ended. */
export function logToolCalls({ clock, log }: LogOptions): ToolMiddleware {
  return (next) => async (request) => {
    const { tool, ctx } = request;
    const began = clock.now();
    const fields = { run: ctx.runId, call: ctx.callId, attempt: ctx.attempt, tool: tool.name, effect: tool.effect };
    const say = (outcome: string, error?: unknown) =>
      log('tool execution', withEnd(fields, clock.now() - began, outcome, error));
    try {
      const result = await next(request);
      say('returned');
      return result;
    } catch (error) {
      say('threw', error);
      throw error;
    }
  };
}

function withEnd(fields: Fields, ms: number, outcome: string, error: unknown): Fields {
  const ended = { ...fields, ms: Math.round(ms), outcome };
  return error === undefined ? ended : { ...ended, error: readErrorFacts(error).message };
}

function errorOf(end: StreamEnd): unknown {
  if (end.is === 'broken') return end.error;
  return end.is === 'left' ? end.reason : undefined;
}
