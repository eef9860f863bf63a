// The door `holdfast/workflow`: safe in Temporal's sandbox. A workflows file of your own exports everything of it.
export { agentRun } from './agent-run.ts';
export { costLookUp } from './cost-look-up.ts';
export { runAgent, type RunAgentRequest } from './run-agent.ts';
export {
  decideApprovalSignal,
  decideApprovalUpdate,
  lateOutcomeSignal,
  outcomeUnknownSignal,
  questionsQuery,
  resolveOutcomeSignal,
  resolveOutcomeUpdate,
  stateQuery,
  stopSignal,
  stopUpdate,
} from './messages.ts';
export type { DecideApproval, OutcomeUnknown, ResolveOutcome, Stop } from '../contracts/messages.ts';
export type { ApprovalQuestion, OutcomeQuestion, Question } from '../contracts/question.ts';
export type { RunInput, RunResult, RunView } from '../contracts/run.ts';
