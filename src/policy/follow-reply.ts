import type { RunEvent } from '../contracts/events.ts';

/** A tool call as its arguments come; `input` is text that may not be whole yet. */
export interface CallSoFar {
  readonly part: string;
  readonly tool: string;
  readonly input: string;
}

/** One reply of the model as a watcher has it until now. What is stored of it is well formed: halves of characters are replaced. */
export interface ReplySoFar {
  /** Of the model: `t3` in the third turn. */
  readonly call: string;
  readonly attempt: number;
  readonly stream: number;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly CallSoFar[];
}

/**
 * The reply that is being shown, once this event has come too: what a watcher rebuilds out of pieces. Undefined before the first.
 * Begins anew at a reset, and with the first piece of the next turn.
 */
export function followReply(known: ReplySoFar | undefined, event: RunEvent): ReplySoFar | undefined {
  if (event.type === 'run-started') return undefined;
  if (event.type === 'call-planned' && known) return withTool(known, event);
  if (event.type !== 'piece' && event.type !== 'reset') return known;
  const isSame = known?.stream === event.stream;
  const { call, attempt, stream } = event;
  const reply = isSame ? known : { call, attempt, stream, text: '', reasoning: '', calls: [] };
  return event.type === 'reset' ? reply : withPiece(reply, event);
}

function withPiece(reply: ReplySoFar, piece: Extract<RunEvent, { type: 'piece' }>): ReplySoFar {
  const { of, part, tool = '', delta } = piece;
  if (of !== 'tool-input') return { ...reply, [of]: reply[of] + delta };
  const isKnown = reply.calls.some((one) => one.part === part);
  const calls = isKnown ? reply.calls : [...reply.calls, { part, tool, input: '' }];
  return { ...reply, calls: calls.map((one) => (one.part === part ? { ...one, input: one.input + delta } : one)) };
}

/** Some providers begin a call without saying of which tool. */
function withTool(reply: ReplySoFar, { turn, part, tool }: Extract<RunEvent, { type: 'call-planned' }>): ReplySoFar {
  if (reply.call !== `t${turn}`) return reply;
  return { ...reply, calls: reply.calls.map((one) => (one.part === part ? { ...one, tool } : one)) };
}
