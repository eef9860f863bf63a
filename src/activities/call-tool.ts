import type { Envelope } from '../contracts/envelope.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import { stricterEffect } from '../policy/effect-of.ts';
import { callReader } from './call-reader.ts';
import { callWriter, refuseWithoutTool } from './call-writer.ts';
import { closedEnvelope } from './closed-envelope.ts';
import { findTool } from './find-tool.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure } from './throw-verdict.ts';

/**
 * One attempt of one tool call. Returns an envelope when the tool did its work, or its work is on record; throws an
 * `ApplicationFailure` with an envelope in its details for every other end. Called by the workflow, once or more a call.
 */
export async function callTool(ports: ActivityPorts, request: ToolRequest): Promise<Envelope> {
  const { agent, plan } = request;
  const tool = findTool(ports.agents, agent, plan.tool);
  if (!tool) return request.effect === 'read-only' ? refuseReader(request) : refuseWithoutTool(ports, request);
  waitForToken(ports, request);
  const effect = stricterEffect(request.effect, tool.effect);
  return effect === 'read-only' ? callReader(ports, request, tool) : callWriter(ports, request, tool, effect);
}

/** A rate limit is waited for by the run: nothing has been claimed, and no slot is held. */
function waitForToken(ports: ActivityPorts, request: ToolRequest): void {
  const { plan } = request;
  const waitMs = ports.limiterOf(`tool:${plan.tool}`)?.tryTake() ?? 0;
  if (waitMs === 0) return;
  const why = `${plan.tool} may begin only so often (rateLimits)`;
  const verdict = { is: 'again', waitMs: Math.ceil(waitMs), why, unbegun: true } as const;
  throw finalFailure('KeyHeld', why, closedEnvelope(request, verdict));
}

function refuseReader(request: ToolRequest): never {
  const { agent, plan } = request;
  const message = `This worker has no tool "${plan.tool}" for agent "${agent}".`;
  const verdict = { is: 'told', reply: { status: 'unavailable', message, retryable: false } } as const;
  throw finalFailure('ToolUnavailable', message, closedEnvelope(request, verdict));
}
