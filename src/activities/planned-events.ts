import type { RunEvent } from '../contracts/events.ts';
import type { PlannedCall } from '../contracts/plan.ts';
import { partNames } from '../policy/piece-of-part.ts';
import type { AskedCall } from './collect-reply.ts';
import { argumentsOf } from './compose-prompt.ts';

/** What watchers are told of the calls a reply asks for; both in the reply's order. */
export function plannedEvents(
  planned: readonly PlannedCall[],
  asked: readonly AskedCall[],
  { turn, at }: { readonly turn: number; readonly at: number },
): readonly RunEvent[] {
  const name = partNames();
  return planned.map(({ call, tool }, position) => {
    const { toolCallId = '', input = '' } = asked[position] ?? {};
    return { type: 'call-planned', at, call, turn, part: name.next(toolCallId), tool, input: argumentsOf(input) };
  });
}
