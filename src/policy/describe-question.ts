import { assertNever } from './assert-never.ts';
import type { ApprovalQuestion, OutcomeQuestion, Question } from '../contracts/question.ts';
import { decideCommands, stopCommand } from './decide-command.ts';
import { describeAmount } from './describe-amount.ts';
import { codeSpan, plainText } from './markdown-text.ts';

/** Where and how a question is answered. */
export interface Desk {
  /** The options that lead a pasted command to the run's data. */
  readonly place: string;
  /** Only signed decisions count: no JSON to paste is shown. */
  readonly signed: boolean;
}

/** A question in Markdown: what is known, and what to paste. */
export function describeQuestion(question: Question, desk: Desk): string {
  switch (question.kind) {
    case 'outcome':
      return outcomeText(question, desk);
    case 'approval':
      return approvalText(question, desk);
    default:
      return assertNever(question);
  }
}

function outcomeText(question: OutcomeQuestion, desk: Desk): string {
  const { id, tool, key, since, sentAt, horizon, known, digest } = question;
  // No verdict and no result: an unread paste must not confirm anything.
  const json = { id: `d-${id}`, question: id, verdict: '', by: '', reason: '', digest };
  return [
    `**${id}** · outcome unknown · ${tool} · ${codeSpan(key.intent, 200)}`,
    listOf([
      ...factsOf(question),
      `sent: ${sentAt === undefined ? 'not known' : iso(sentAt)}`,
      `sight lost: ${iso(since)}`,
      `may still land until: ${iso(horizon)}`,
      ...known.map(plainText),
    ]),
    `Decide it in a shell (verdicts: happened, did-not-happen, reversed${desk.signed ? '' : ', abort'}):`,
    ...shell(question, desk),
    // An abort does not count where decisions are signed: nobody could take it back.
    ...(desk.signed ? ['To end the run instead:', fenced(stopCommand(question.run, desk.place))] : []),
    ...pasteOf(desk, json, [
      'Or send the signal `resolveOutcome` with this JSON, verdict, by and reason filled in.',
      '"happened" also wants `result`: what the tool would have returned, or null.',
    ]),
  ].join('\n\n');
}

function approvalText(question: ApprovalQuestion, desk: Desk): string {
  const { id, tool, key, because, since, expiresAt, known, digest } = question;
  const json = { id: `d-${id}`, question: id, verdict: '', by: '', reason: '', digest };
  return [
    `**${id}** · approval · ${tool} · ${codeSpan(key.intent, 200)}`,
    listOf([
      ...factsOf(question),
      ...because.map((reason) => `because: ${plainText(reason)}`),
      `asked: ${iso(since)}`,
      `asked again from: ${iso(expiresAt)}`,
      ...known.map(plainText),
    ]),
    'Decide it in a shell:',
    ...shell(question, desk),
    ...pasteOf(desk, json, [
      'Or send the signal `decideApproval` with this JSON; verdict is approve or deny, by and reason filled in.',
    ]),
  ].join('\n\n');
}

function factsOf({ input, amount, need, have = [] }: Question): readonly string[] {
  const shown = input.is === 'inline' ? JSON.stringify(input.value) : `stored, ${input.sizeBytes} bytes`;
  return [
    `arguments: ${codeSpan(shown)}`,
    ...(amount === undefined ? [] : [`amount: ${describeAmount(amount)}`]),
    ...(need === undefined
      ? []
      : [`wants ${need} different people; so far: ${plainText(have.join(', ')) || 'nobody'}`]),
  ];
}

const listOf = (facts: readonly string[]): string => facts.map((fact) => `- ${fact}`).join('\n');

function shell(question: Question, { place }: Desk): readonly string[] {
  return decideCommands(question, place).map(fenced);
}

const fenced = (command: string): string => ['```', command, '```'].join('\n');

function pasteOf({ signed }: Desk, json: object, how: readonly string[]): readonly string[] {
  if (signed) return ['Only signed decisions count here: the command signs with your key.'];
  return [how.join(' '), ['```json', JSON.stringify(json, null, 2), '```'].join('\n')];
}

const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
