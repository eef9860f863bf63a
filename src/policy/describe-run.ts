import type { RunView } from '../contracts/run.ts';
import { describeQuestion, type Desk } from './describe-question.ts';
import { codeSpan, plainText } from './markdown-text.ts';

/** The run as the Web UI's current details show it, in Markdown. Runs in the workflow. */
export function describeRun(view: RunView, desk: Desk): string {
  const { status, agent, version, turn, model, taskId, questions, refused, awaited, answer } = view;
  return [
    `### ${headline(view)}`,
    `agent **${agent}** (version ${version}) · model ${model} · turn ${turn} · task ${codeSpan(taskId, 200)}`,
    ...questions.map((question) => describeQuestion(question, desk)),
    ...(refused.length > 0
      ? ['**Refused decisions**', ...refused.map(({ id, why }) => `- ${codeSpan(id, 100)}: ${plainText(why)}`)]
      : []),
    ...(awaited.length > 0
      ? [`Decisions are kept for questions that have not been asked: ${plainText(awaited.join(', '))}. A mistyped id?`]
      : []),
    ...(answer === undefined ? [] : [`**Answer** (${status})`, answer]),
  ].join('\n\n');
}

function headline({ status, questions }: RunView): string {
  const [first] = questions;
  if (first?.kind === 'approval') return `Waiting for a person: may ${first.tool} be called?`;
  if (status === 'waiting' && first) return `Waiting for a person: ${first.tool} may or may not have happened`;
  if (status === 'answered') return 'Answered; an outcome is still open';
  return status;
}
