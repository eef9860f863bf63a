import type { Question } from '../contracts/question.ts';
import type { RunView } from '../contracts/run.ts';

/**
 * The run as the Web UI's current details show it, in Markdown. `place`: the options that lead a pasted command to the run's
 * data. Runs in the workflow.
 */
export function describeRun(view: RunView, place: string): string {
  const { status, agent, version, turn, model, taskId, questions, refused, awaited, answer } = view;
  return [
    `### ${headline(view)}`,
    `agent **${agent}** (version ${version}) · model ${model} · turn ${turn} · task \`${taskId}\``,
    ...questions.map((question) => describeQuestion(question, place)),
    ...(refused.length > 0 ? ['**Refused decisions**', ...refused.map(({ id, why }) => `- \`${id}\`: ${why}`)] : []),
    ...(awaited.length > 0
      ? [`Decisions are kept for questions that have not been asked: ${awaited.join(', ')}. A mistyped id?`]
      : []),
    ...(answer === undefined ? [] : [`**Answer** (${status})`, answer]),
  ].join('\n\n');
}

function headline({ status, questions }: RunView): string {
  const [first] = questions;
  if (status === 'waiting' && first) return `Waiting for a person: ${first.tool} may or may not have happened`;
  if (status === 'answered') return 'Answered; an outcome is still open';
  return status;
}

function describeQuestion(question: Question, place: string): string {
  const { id, tool, key, input, since, sentAt, horizon, known, run, digest } = question;
  const shown = input.is === 'inline' ? JSON.stringify(input.value) : `stored, ${input.sizeBytes} bytes`;
  const where = [`--run ${run}`, place].filter((part) => part !== '').join(' ');
  // No verdict and no result: an unread paste must not confirm anything.
  const json = { id: `d-${id}`, question: id, verdict: '', by: '', reason: '', digest };
  const facts = [
    `arguments: \`${shown}\``,
    `sent: ${sentAt === undefined ? 'not known' : iso(sentAt)}`,
    `sight lost: ${iso(since)}`,
    `may still land until: ${iso(horizon)}`,
    ...known,
  ];
  return [
    `**${id}** · outcome unknown · ${tool} · \`${key.intent}\``,
    facts.map((fact) => `- ${fact}`).join('\n'),
    'Decide it in a shell (verdicts: happened, did-not-happen, reversed, abort):',
    ['```', `npx holdfast resolve ${id} VERDICT --reason "…" ${where}`, '```'].join('\n'),
    'Or send the signal `resolveOutcome` with this JSON, verdict, by and reason filled in. "happened" also wants `result`: what the tool would have returned, or null.',
    ['```json', JSON.stringify(json, null, 2), '```'].join('\n'),
  ].join('\n\n');
}

const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
