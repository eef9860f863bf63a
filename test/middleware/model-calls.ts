import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Clock } from '../../src/contracts/clock.ts';
import type { ModelFailure } from '../../src/contracts/failure.ts';
import { BrokenAnswer } from '../../src/policy/judge-answer.ts';
import type { ModelCall, ModelCallRequest, ModelReplyStream } from '../../src/contracts/middleware.ts';

type Part = LanguageModelV4StreamPart;

export const OPENING: Part = { type: 'stream-start', warnings: [] };
export const idOf = (id: string): Part => ({ type: 'response-metadata', id });
export const textOf = (delta: string): Part => ({ type: 'text-delta', id: 't', delta });
export const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
export const FINISH: Part = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: USAGE };
export const WHOLE: readonly Part[] = [OPENING, textOf('yes'), FINISH];

export function requestTo(model: string, changes: Partial<ModelCallRequest> = {}): ModelCallRequest {
  return {
    options: { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Well?' }] }] },
    signal: new AbortController().signal,
    caller: { run: 'r', task: 't', agent: 'a', turn: 1, attempt: 1 },
    target: { account: model, model, at: 0 },
    reason: 'first',
    timeoutMs: 600_000,
    part: 1,
    ...changes,
  };
}

export const targetOf = (model: string, account = model) => ({ account, model, at: 0 });

/** Parts, each after a wait; an Error breaks the stream at its place, `hang` waits for ever. */
export type Script = readonly (Part | number | Error | 'hang')[];

/** A reply's stream that takes its time by the clock. An abort ends it, as with a real connection. */
export function streamOf(script: Script, clock: Clock, signal: AbortSignal): ReadableStream<Part> {
  const left = [...script];
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        for (;;) {
          const step = left.shift();
          if (step === undefined) {
            controller.close();
            return;
          }
          if (typeof step === 'number') await clock.wait(step, signal);
          else if (step === 'hang') await clock.wait(1e9, signal);
          else if (step instanceof Error) throw step;
          else {
            controller.enqueue(step);
            return;
          }
        }
      },
    },
    { highWaterMark: 0 },
  );
}

/** Answers by model name: after `ms`, with an error or a stream. An abort is its reason, or `abortError`, as with many clients. */
export function fakeProvider(
  clock: Clock,
  answers: Record<string, { ms?: number; error?: Error; script?: Script; abortError?: Error }>,
) {
  const asked: { model: string; at: number; request: ModelCallRequest }[] = [];
  const call: ModelCall = async (request) => {
    const { model } = request.target;
    asked.push({ model, at: clock.now(), request });
    const { ms = 0, error, script = WHOLE, abortError } = answers[model]!;
    await clock.wait(ms, request.signal).catch((reason: unknown) => {
      throw abortError ?? reason;
    });
    if (error) throw error;
    return { stream: streamOf(script, clock, request.signal) };
  };
  return { call, asked };
}

export async function readParts({ stream }: ModelReplyStream): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

export const textIn = async (reply: ModelReplyStream) =>
  (await readParts(reply)).map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');

/** An error of a provider, which names its own kind. */
export class Trouble extends Error {
  readonly kind: ModelFailure['kind'];
  readonly status: number | undefined;
  constructor(kind: ModelFailure['kind'], status?: number) {
    super(`trouble: ${kind} ${status ?? ''}`);
    this.kind = kind;
    this.status = status;
  }
}

export function classify(error: unknown): ModelFailure {
  const { kind, status } =
    error instanceof Trouble ? error : new Trouble(error instanceof BrokenAnswer ? 'transient' : 'permanent');
  const facts = { class: 'transient', reason: 'server', retry: true, tries: 5, overCap: false } as const;
  const seen = { resetStream: false, billed: 'unknown', sent: 'maybe' } as const;
  const named = status === undefined ? {} : { status };
  return { kind, delivery: 'maybe-sent', message: String(error), ...named, ...facts, ...seen };
}
