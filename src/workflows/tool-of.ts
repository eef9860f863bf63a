import type { ToolCard } from '../contracts/agent-card.ts';
import type { Run } from './run.ts';

/** The tool's card. A tool that came with a deploy after the run began is treated as the strictest kind. */
export function toolOf({ card }: Run, name: string): ToolCard {
  return card?.tools.find((tool) => tool.name === name) ?? { ...UNKNOWN_TOOL, name };
}

const UNKNOWN_TOOL: ToolCard = Object.freeze({
  name: '',
  effect: 'unflagged',
  timeoutMs: 60_000,
  totalTimeoutMs: undefined,
  maxAttempts: 4,
  landsWithinMs: 600_000,
  onUnknown: 'wait',
  confirms: false,
  definition: '',
});
