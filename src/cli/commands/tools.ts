import type { Agent } from '../../contracts/agent.ts';
import { choiceOf, labelOf, modelsOf } from '../../policy/model-label.ts';
import { describeTool } from '../../policy/describe-tool.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { needConfig } from '../load-config.ts';
import { needAgent } from '../need-agent.ts';
import { toolsScreen, type AgentTools } from '../screens/tools-screen.ts';

/** Says what becomes of each tool call that fails, worked out by the very rules that judge it in a run. */
export async function tools(cli: Cli, { agent }: { readonly agent?: string }): Promise<ExitCode> {
  const config = await needConfig(cli.flags.config);
  const asked = agent === undefined ? config.agents : [needAgent(agent, config)];
  cli.answer(asked.map(describeAgent), toolsScreen);
  return EXIT.done;
}

function describeAgent({ name, version, model, tools: all }: Agent): AgentTools {
  return {
    agent: name,
    version,
    model: modelsOf(choiceOf({ model })).map(labelOf).join(', '),
    tools: all.map(describeTool),
  };
}
