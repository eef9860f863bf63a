import type { Agent, AgentDefinition, Config, HoldfastConfig } from '../contracts/agent.ts';
import { checkApprovals, checkConfigOptions, checkNotify } from './check-config.ts';
import { checkDeciders } from './check-deciders.ts';
import { checkName, isDefinedTool } from './define-tool.ts';
import { durationMs } from './duration-ms.ts';

export const RUN_DEFAULTS = Object.freeze({ turns: 200, taskQueue: 'holdfast', equalCalls: 2, equalFailures: 3 });

/** Checks an agent's definition. @throws with what to write instead. */
export function defineAgent(definition: AgentDefinition): Agent {
  const { name, model, tools, instructions, limits } = definition;
  checkName('agent', name);
  if (typeof instructions !== 'string') {
    throw new Error(`Agent "${name}" has no instructions. Write what it is for and how it should behave.`);
  }
  checkModel(name, model);
  const stranger = (tools ?? []).find((tool) => !isDefinedTool(tool));
  if (stranger) {
    throw new Error(
      `Agent "${name}" has a tool that defineTool did not make: ${JSON.stringify(stranger.name)}. Wrap it in defineTool({ … }).`,
    );
  }
  checkUnique(
    `Agent "${name}" has two tools named`,
    (tools ?? []).map((tool) => tool.name),
  );
  if (limits?.deadline !== undefined) durationMs(limits.deadline, `Agent "${name}": limits.deadline`);
  for (const limit of ['turns', 'equalCalls', 'equalFailures'] as const) {
    const value = limits?.[limit];
    if (value !== undefined && !(Number.isInteger(value) && value >= 1)) {
      throw new Error(`Agent "${name}": limits.${limit} is ${value}. Write a whole number from 1.`);
    }
  }
  const agent: Agent = { ...definition, tools: tools ?? [], version: definition.version ?? '1' };
  DEFINED.add(agent);
  return Object.freeze(agent);
}

const DEFINED = new WeakSet<Agent>();

/** Checks the configuration a worker and the CLI run from. @throws with what to write instead. */
export function defineConfig(config: HoldfastConfig): Config {
  if (!config.agents?.length) {
    throw new Error('The configuration has no agents. Write export default defineConfig({ agents: [myAgent] }).');
  }
  const stranger = config.agents.find((agent) => !DEFINED.has(agent));
  if (stranger) {
    throw new Error(
      `The configuration has an agent that defineAgent did not make: ${JSON.stringify(stranger.name)}. Wrap it in defineAgent({ … }).`,
    );
  }
  checkUnique(
    'The configuration has two agents named',
    config.agents.map((agent) => agent.name),
  );
  checkConfigOptions(config);
  checkApprovals(config);
  checkNotify(config);
  checkDeciders(config);
  return Object.freeze({ ...config, taskQueue: config.taskQueue ?? RUN_DEFAULTS.taskQueue });
}

function checkModel(agent: string, model: unknown): void {
  if (typeof model === 'string' && /^[^/]+\/.+$/.test(model)) return;
  if (typeof model === 'object' && model !== null && 'doStream' in model) return;
  throw new Error(
    `Agent "${agent}": model is ${JSON.stringify(model)}. Write "provider/model", e.g. "compatible/my-model", or pass an AI SDK model.`,
  );
}

function checkUnique(what: string, names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${what} "${twice}". Names must differ: rename one.`);
}
