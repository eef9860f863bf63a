import type { Agent, AgentDefinition, Config, HoldfastConfig, Limits } from '../contracts/agent.ts';
import { checkApprovals, checkConfigOptions, checkBreaker, checkNotify, checkRateLimits } from './check-config.ts';
import { checkDeciders } from './check-deciders.ts';
import { checkPrices } from './check-prices.ts';
import { checkName, isDefinedTool } from './define-tool.ts';
import { BUILT_INS } from '../contracts/model-choice.ts';
import { MODEL_BACKOFF } from './backoff.ts';
import { backoffOf } from './backoff-of.ts';
import { checkOptions } from './check-options.ts';
import { durationMs } from './duration-ms.ts';

export const RUN_DEFAULTS = Object.freeze({ turns: 200, taskQueue: 'holdfast', equalCalls: 2, equalFailures: 3 });

// A new option does not compile until it is named here.
const AGENT_OPTIONS: Readonly<Record<keyof AgentDefinition, true>> = {
  ...{ name: true, version: true, instructions: true, model: true, tools: true },
  ...{ limits: true, use: true, without: true, escalateTo: true },
  ...{ backoff: true, classify: true },
};
const LIMIT_OPTIONS: Readonly<Record<keyof Limits, true>> = {
  ...{ deadline: true, turns: true, equalCalls: true, equalFailures: true },
  ...{ modelAttempts: true, retries: true, retryTime: true },
};

/** Checks an agent's definition. @throws with what to write instead. */
export function defineAgent(definition: AgentDefinition): Agent {
  const { name, model, tools, instructions, limits } = definition;
  checkName('agent', name);
  checkOptions(`Agent "${name}"`, definition, Object.keys(AGENT_OPTIONS));
  if (limits !== undefined) checkOptions(`Agent "${name}": limits`, limits, Object.keys(LIMIT_OPTIONS));
  if (typeof instructions !== 'string') {
    throw new Error(`Agent "${name}" has no instructions. Write what it is for and how it should behave.`);
  }
  checkModels(name, model);
  backoffOf(definition.backoff, MODEL_BACKOFF, `Agent "${name}": backoff`);
  if (definition.classify !== undefined && typeof definition.classify !== 'function') {
    throw new Error(`Agent "${name}": classify is no function. Write error => 'retry', 'stop' or undefined.`);
  }
  checkWrappers(definition);
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
  if (limits?.retryTime !== undefined) durationMs(limits.retryTime, `Agent "${name}": limits.retryTime`);
  if (limits?.retries !== undefined && !(Number.isInteger(limits.retries) && limits.retries >= 0)) {
    throw new Error(`Agent "${name}": limits.retries is ${limits.retries}. Write a whole number from 0.`);
  }
  for (const limit of ['turns', 'equalCalls', 'equalFailures', 'modelAttempts'] as const) {
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
  checkRateLimits(config);
  checkBreaker(config);
  checkDeciders(config);
  checkPrices(config);
  return Object.freeze({ ...config, taskQueue: config.taskQueue ?? RUN_DEFAULTS.taskQueue });
}

function checkModels(agent: string, model: AgentDefinition['model']): void {
  if (typeof model !== 'object' || model === null || !('primary' in model)) {
    checkModel(agent, 'model', model);
    return;
  }
  checkOptions(`Agent "${agent}": model`, model, ['primary', 'hedge', 'fallback']);
  const { primary, hedge, fallback = [] } = model;
  checkModel(agent, 'model.primary', primary);
  if (hedge !== undefined) {
    checkOptions(`Agent "${agent}": model.hedge`, hedge, ['afterMs', 'models']);
    if (!(Number.isFinite(hedge.afterMs) && hedge.afterMs >= 0)) {
      throw new Error(`Agent "${agent}": model.hedge.afterMs is ${hedge.afterMs}. Write milliseconds, 0 for at once.`);
    }
  }
  const others = { 'model.hedge.models': hedge?.models ?? [], 'model.fallback': fallback };
  const given = { ...(hedge && { 'model.hedge.models': 1 }), ...(model.fallback && { 'model.fallback': 1 }) };
  for (const [option, models] of Object.entries(others)) {
    checkList(agent, option, models);
    if (models.length === 0 && option in given) {
      throw new Error(`Agent "${agent}": ${option} names no model. Name one, or leave it out.`);
    }
    models.forEach((one, at) => {
      checkModel(agent, `${option}[${at}]`, one);
    });
  }
}

function checkList(agent: string, option: string, value: unknown): void {
  if (!Array.isArray(value))
    throw new Error(`Agent "${agent}": ${option} is ${JSON.stringify(value)}. Write a list: [ … ].`);
}

function checkWrappers({ name, use = [], without = [] }: AgentDefinition): void {
  checkList(name, 'use', use);
  checkList(name, 'without', without);
  const given: readonly unknown[] = use;
  const odd = given.find((one) => typeof one !== 'function');
  if (odd !== undefined) {
    throw new Error(
      `Agent "${name}": use has ${JSON.stringify(odd)}. Write functions: next => request => next(request).`,
    );
  }
  const unknown = without.find((part) => !BUILT_INS.includes(part));
  if (unknown === undefined) return;
  throw new Error(`Agent "${name}": without has ${JSON.stringify(unknown)}. There are: ${BUILT_INS.join(', ')}.`);
}

function checkModel(agent: string, option: string, model: unknown): void {
  if (typeof model === 'string' && /^[^/]+\/.+$/.test(model)) return;
  if (typeof model === 'object' && model !== null && 'doStream' in model) return;
  throw new Error(
    `Agent "${agent}": ${option} is ${JSON.stringify(model)}. Write "provider/model", e.g. "compatible/my-model", or pass an AI SDK model.`,
  );
}

function checkUnique(what: string, names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${what} "${twice}". Names must differ: rename one.`);
}
