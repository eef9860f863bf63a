import type { LedgerKey } from '../contracts/ledger.ts';
import type { RunIdentity } from '../contracts/requests.ts';
import type { Intent, IntentScope, Tool } from '../contracts/tool.ts';
import { cleanMessage } from '../policy/clean-message.ts';
import { equalCalls } from './count-prior-calls.ts';

export interface CallToName {
  readonly namespace: string;
  readonly identity: RunIdentity;
  readonly tool: Tool;
  /** As the tool's schema gave it. */
  readonly input: unknown;
  readonly digest: string;
  /** Tells equal calls of a tool without `intent` apart: how many came before. */
  readonly before: number | string;
}

/** The identity of the business action a call stands for: its author's word, or the call's own arguments. */
export function keyOfCall(call: CallToName): LedgerKey | { readonly problem: string } {
  const { namespace, identity, tool, input, digest, before } = call;
  try {
    const intent = tool.intent
      ? readIntent(tool.intent(input))
      : { key: `${equalCalls(tool, digest)}:${before}`, scope: 'task' as const };
    if ('problem' in intent) return intent;
    const scope = { task: `task:${identity.task}`, agent: `agent:${identity.agent}`, global: 'global' }[intent.scope];
    return { namespace, scope, intent: intent.key };
  } catch (error) {
    return { problem: cleanMessage(error instanceof Error ? error.message : String(error)) };
  }
}

const SCOPES = ['task', 'agent', 'global'];

/** What the author's `intent` returned, checked: nobody else has looked at it. */
function readIntent(intent: unknown): Exclude<Intent, string> | { readonly problem: string } {
  const { key, scope = 'task' } =
    typeof intent === 'string' ? { key: intent } : ((intent ?? {}) as Record<string, unknown>);
  const text = typeof key === 'string' ? key.normalize('NFC').trim() : '';
  if (text === '') return { problem: 'its intent function gave no text (a bug in the tool).' };
  if (typeof scope !== 'string' || !SCOPES.includes(scope)) {
    return { problem: `its intent function gave the scope ${JSON.stringify(scope)}; it is task, agent or global.` };
  }
  return { key: text, scope: scope as IntentScope };
}
