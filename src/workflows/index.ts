export { agentRun } from './agent-run.ts';
