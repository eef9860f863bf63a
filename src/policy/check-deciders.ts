import type { Agent, HoldfastConfig } from '../contracts/agent.ts';
import type { Decider } from '../contracts/decider.ts';
import type { Tool } from '../contracts/tool.ts';
import { checkOptions } from './check-options.ts';
import { readDeciderKey } from './decider-key.ts';
import { decidersOf, describeAbout } from './may-decide.ts';
import { didYouMean } from './near-matches.ts';
import { isSamePerson } from './same-person.ts';

const KINDS = ['outcome', 'approval'] as const;

type Deciding = Pick<HoldfastConfig, 'agents' | 'deciders' | 'approvals'>;

/** Each decider by itself, and that every question has enough people who may answer it. @throws with what to write instead. */
export function checkDeciders({ agents, deciders, approvals }: Deciding): void {
  if (deciders === undefined) return;
  if (!Array.isArray(deciders) || deciders.length === 0) {
    throw new Error(
      'deciders names nobody. List at least one, or leave it out: then anybody who can write to the namespace may decide.',
    );
  }
  deciders.forEach((decider: Decider, at) => checkDecider(decider, at, agents));
  checkApart(deciders);
  for (const agent of agents) {
    for (const tool of agent.tools) checkAnswerable(agent, tool, { deciders, approvals });
  }
}

function checkDecider(decider: Decider, at: number, agents: readonly Agent[]): void {
  checkOptions(`deciders[${at}]`, decider, ['name', 'key', 'kinds', 'agents', 'tools']);
  const { name, kinds, agents: itsAgents, tools } = decider;
  if (typeof name !== 'string' || name.trim() !== name || name === '') {
    throw new Error(
      `deciders[${at}].name is ${JSON.stringify(name)}. Write how decisions name them (by), without spaces around it.`,
    );
  }
  const key = readDeciderKey(decider.key);
  if (key.is === 'unusable') {
    throw new Error(
      `Decider "${name}": the key cannot be used: ${key.why}. Write "ed25519:" and the public key that holdfast key prints, or "hmac:" and the name of an environment variable.`,
    );
  }
  checkList(name, 'kinds', kinds, KINDS);
  checkList(
    name,
    'agents',
    itsAgents,
    agents.map((agent) => agent.name),
  );
  const theirs = agents.filter((agent) => itsAgents?.includes(agent.name) ?? true);
  checkList(
    name,
    'tools',
    tools,
    theirs.flatMap((agent) => agent.tools.map((tool) => tool.name)),
  );
}

/** A restriction that names nothing, or what is not there, would silently take away what it seems to give. */
function checkList(decider: string, option: string, given: unknown, known: readonly string[]): void {
  if (given === undefined) return;
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  if (list.length === 0) {
    throw new Error(`Decider "${decider}": ${option} names nothing. List some, or leave it out: then it is all.`);
  }
  const strange = list
    .map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
    .find((entry) => !known.includes(entry));
  if (strange === undefined) return;
  const there = [...new Set(known)].join(', ') || 'none';
  throw new Error(
    `Decider "${decider}": ${option} has "${strange}", which is not there.${didYouMean(strange, known)} There are: ${there}.`,
  );
}

/** Two names or two deciders with one key would pass for two people, and two people are what a quorum is about. */
function checkApart(deciders: readonly Decider[]): void {
  deciders.forEach((decider, at) => {
    const earlier = deciders.slice(0, at);
    const alike = earlier.find(({ name }) => isSamePerson({ by: name }, { by: decider.name }));
    if (alike) {
      throw new Error(
        `Two deciders are named "${alike.name}" and "${decider.name}". Names must differ in more than capitals and what cannot be seen: rename one.`,
      );
    }
    const twin = earlier.find(({ key }) => key === decider.key);
    if (twin) {
      throw new Error(
        `Deciders "${twin.name}" and "${decider.name}" have the same key, so one could decide as both. Give each a key of their own.`,
      );
    }
  });
}

/** A question that too few may answer would wait for ever. */
function checkAnswerable(agent: Agent, tool: Tool, { deciders = [], approvals }: Omit<Deciding, 'agents'>): void {
  const quorum = approvals?.quorum !== undefined && tool.amount !== undefined;
  for (const kind of kindsOf(tool)) {
    const about = { agent: agent.name, tool: tool.name, kind };
    const names = decidersOf(deciders, about).map(({ name }) => name);
    if (names.length >= (quorum ? 2 : 1)) continue;
    const who = names.length === 0 ? 'Nobody' : `Only ${names.join(', ')}`;
    const need = quorum ? ', and approvals.quorum wants two people' : '';
    throw new Error(
      `${who} may decide ${describeAbout(about)}${need}: such a question would wait for ever. Let another decider answer it.`,
    );
  }
}

/** What can be asked about a tool: what changes nothing has no outcome, and is asked about only when it says so. */
function kindsOf({ effect, needsApproval }: Tool): readonly (typeof KINDS)[number][] {
  if (effect !== 'read-only') return KINDS;
  return needsApproval ? ['approval'] : [];
}
