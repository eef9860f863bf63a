import type { Failure } from '../contracts/failure.ts';
import type { SentRequest } from '../contracts/fetch-record.ts';
import type { Tool } from '../contracts/tool.ts';
import { classifyToolError } from '../policy/classify-tool-error.ts';
import type { BodyEnd } from './run-body.ts';

/** The failure of a body that did not return. A body that began may have acted, whatever stopped our waiting for it. */
export function failureOfEnd(
  end: Exclude<BodyEnd, { is: 'returned' }>,
  tool: Tool,
  requests: readonly SentRequest[],
): Failure {
  switch (end.is) {
    case 'threw':
      return classifyToolError(end.error, tool, requests);
    case 'timed-out':
      return {
        kind: 'timed-out',
        delivery: 'maybe-sent',
        message: `${tool.name} gave no answer within its time-out of ${tool.timeoutMs / 1_000} s.`,
      };
    case 'shutdown':
      return {
        kind: 'timed-out',
        delivery: 'maybe-sent',
        message: `The worker was stopped while ${tool.name} was in flight.`,
      };
    case 'cancelled':
      return {
        kind: 'cancelled',
        delivery: 'maybe-sent',
        message: `${tool.name} was cancelled after it had begun.`,
      };
  }
}
