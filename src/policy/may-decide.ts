import type { Decider } from '../contracts/decider.ts';
import type { Question } from '../contracts/question.ts';

/** A question by what matters for who may answer it, and who wants to. */
export interface Deciding extends DecidedAbout {
  readonly by: string;
}

export interface DecidedAbout {
  readonly agent: string;
  readonly tool: string;
  readonly kind: Question['kind'];
}

export type Standing =
  { readonly is: 'decider'; readonly decider: Decider } | { readonly is: 'refused'; readonly why: string };

/** Whether a name may answer a question. Whose name it is, the signature tells: `verifySignature`. */
export function mayDecide(deciders: readonly Decider[], { by, ...about }: Deciding): Standing {
  const entitled = decidersOf(deciders, about);
  const decider = entitled.find(({ name }) => name === by);
  if (decider) return { is: 'decider', decider };
  const who = deciders.some(({ name }) => name === by)
    ? `${JSON.stringify(by)} may not decide`
    : `${JSON.stringify(by)} is no decider and may not decide`;
  const others = entitled.map(({ name }) => name).join(', ');
  return {
    is: 'refused',
    why: `${who} ${describeAbout(about)}. ${others === '' ? 'Nobody may: add a decider to the configuration.' : `Those who may: ${others}.`}`,
  };
}

/** Everybody who may answer such a question. */
export function decidersOf(deciders: readonly Decider[], { agent, tool, kind }: DecidedAbout): readonly Decider[] {
  const holds = (list: readonly string[] | undefined, value: string) => list?.includes(value) ?? true;
  return deciders.filter(
    ({ kinds, agents, tools }) => holds(kinds, kind) && holds(agents, agent) && holds(tools, tool),
  );
}

/** `outcomes of refund of agent support`. */
export function describeAbout({ agent, tool, kind }: DecidedAbout): string {
  return `${kind === 'outcome' ? 'outcomes' : 'approvals'} of ${tool} of agent ${agent}`;
}
