import type { Agent, Config } from '../../contracts/agent.ts';
import type { ModelRef } from '../../contracts/model-choice.ts';
import { choiceOf, modelsOf } from '../../policy/model-label.ts';
import { openModel } from '../../providers/open-model.ts';
import { readSecret } from '../../temporal/settings.ts';
import { findConfigFile, loadConfig } from '../load-config.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** What came of loading the configuration; `config` where it loads. */
export interface CheckedConfig {
  readonly findings: readonly Finding[];
  readonly config?: Config;
}

/** Loads the configuration and opens its models, as a worker would. */
export async function checkConfig(asked: string | undefined): Promise<CheckedConfig> {
  try {
    const file = findConfigFile(asked);
    if (file === undefined) return { findings: [warn('Config', 'no holdfast.config.ts here', 'npx holdfast init')] };
    const config = await loadConfig(file);
    const agents = config.agents.map(
      ({ name, tools }) => `${name} (${tools.map((tool) => tool.name).join(', ') || 'no tools'})`,
    );
    const models = await Promise.all(config.agents.map((agent) => checkModel(agent, config)));
    return { findings: [ok('Config', `${agents.join(', ')} · task queue ${config.taskQueue}`), ...models], config };
  } catch (error) {
    const [says = '', ...rest] = (error as Error).message.split('\n');
    return { findings: [fail('Config', says, rest.join(' ').trim() || 'correct the file')] };
  }
}

async function checkModel({ name, model }: Agent, { providers }: Config): Promise<Finding> {
  const check = `Model of ${name}`;
  try {
    const open = (ref: ModelRef) => openModel(ref, { providers, secretOf: readSecret });
    const opened = await Promise.all(modelsOf(choiceOf({ model })).map(open));
    return ok(check, opened.map(({ provider, modelId }) => `${provider}/${modelId}`).join(', '));
  } catch (error) {
    return fail(check, (error as Error).message, 'until then no worker starts');
  }
}
