import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { RunEvent } from '../../src/contracts/events.ts';
import type { Json } from '../../src/contracts/json.ts';
import type { ModelMiddleware } from '../../src/contracts/middleware.ts';
import { openEvents } from '../../src/stores/open-stores.ts';

/**
 * Stands in for the publisher of replies, until the model activity is one: writes pieces, resets and planned calls as the stream
 * comes. `address`: of the event store, asked for with the first reply.
 */
export function standInPublisher(address: () => string): ModelMiddleware {
  const streams = new Map<string, number>();
  let store: ReturnType<typeof openEvents> | undefined;
  return (next) => async (request) => {
    const events = (store ??= openEvents(address()));
    const { run, turn, attempt } = request.caller;
    const call = `t${turn}`;
    const reply = await next(request);
    const stream = (streams.get(run + call) ?? 0) + 1;
    const about = { call, turn, attempt, stream };
    let calls = 0;
    let hasBegun = false;
    const eventOf = (part: LanguageModelV4StreamPart): RunEvent | undefined => {
      const at = Date.now();
      if (part.type === 'text-delta') {
        return { type: 'piece', at, ...about, of: 'text', part: part.id, delta: part.delta };
      }
      if (part.type === 'tool-input-delta') {
        return { type: 'piece', at, ...about, of: 'tool-input', part: part.id, tool: 'refund', delta: part.delta };
      }
      if (part.type !== 'tool-call') return undefined;
      const { toolCallId, toolName, input } = part;
      const planned = `${call}c${calls++}`;
      return { type: 'call-planned', at, call: planned, turn, part: toolCallId, tool: toolName, input: read(input) };
    };
    const tap = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      async transform(part, controller) {
        const event = eventOf(part);
        if (event && !hasBegun) {
          hasBegun = true;
          streams.set(run + call, stream);
          if (stream > 1) await events.append(run, [{ type: 'reset', at: Date.now(), ...about }]);
        }
        if (event) await events.append(run, [event]);
        controller.enqueue(part);
      },
    });
    return { ...reply, stream: reply.stream.pipeThrough(tap) };
  };
}

const read = (input: string): Json => JSON.parse(input === '' ? '{}' : input) as Json;
