import type { CallVerdict, Envelope } from '../contracts/envelope.ts';
import type { ToolRequest } from '../contracts/requests.ts';

/** What a schedule of a call says that made no attempt of its own. `record`: the counter behind the verdict, where there is one. */
export function closedEnvelope({ plan, schedule }: ToolRequest, verdict?: CallVerdict, record?: number): Envelope {
  const about = { hf: 1, call: plan.call, schedule, closed: 0, open: null } as const;
  return { ...about, ...(verdict && { verdict }), ...(record !== undefined && { record }) };
}
