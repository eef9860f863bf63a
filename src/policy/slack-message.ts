import type { Alert, ShownArguments } from '../contracts/alert.ts';
import type { AlertReason } from '../contracts/requests.ts';
import { headlineOf } from './compose-alert.ts';
import { describeAmount } from './describe-amount.ts';
import { oneLine } from './one-line.ts';

/** What a Slack incoming webhook reads (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

type SlackBlock =
  | { readonly type: 'header'; readonly text: { readonly type: 'plain_text'; readonly text: string } }
  | { readonly type: 'section'; readonly text: SlackText }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] };

/** `verbatim`: Slack makes no links and mentions of its own from what looks like some. */
interface SlackText {
  readonly type: 'mrkdwn';
  readonly text: string;
  readonly verbatim: true;
}

// A section takes 3,000 characters, a header 150 (docs.slack.dev/reference/block-kit/blocks).
const MAX_FACT = 300;
const MAX_FACTS = 2_900;
const MAX_CODE = 2_000;
const MAX_HEADER = 150;

/**
 * An alert for Slack. What a model may have written stands in code and escaped, so that it forms no link, no mention and no
 * bold line; the text of the notification has none of it.
 */
export function toSlack({ type, data }: Alert): SlackMessage {
  const { question, agent, commands, link } = data;
  const headline = oneLine(headlineOf(question, reasonOf(type)), MAX_HEADER);
  return {
    text: `${escape(headline, MAX_FACT)} (agent ${escape(agent, MAX_FACT)})`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headline } },
      section(withinLines(factsOf(data), MAX_FACTS)),
      section(`*Arguments*\n${codeBlock([showArguments(question.arguments)])}`),
      section(`*Decide*\n${codeBlock(commands)}`),
      ...(link === undefined ? [] : [context(`<${escape(link, MAX_CODE).replaceAll('|', '%7C')}|Open the run>`)]),
    ],
  };
}

function factsOf({ question, evidence, because = [], run, task }: Alert['data']): readonly string[] {
  const { id, amount, intent, since, horizon, expiresAt, need, have = [] } = question;
  return [
    `*Question* ${code(id)} · *run* ${code(run)}${task === run ? '' : ` · *task* ${code(task)}`}`,
    `*Intent* ${code(intent)}`,
    ...(amount === undefined ? [] : [`*Amount* ${code(describeAmount(amount))}`]),
    ...(need === undefined ? [] : [`*Wants* ${need} different people; so far: ${code(have.join(', ') || 'nobody')}`]),
    `*Since* ${date(since)}`,
    ...(horizon === undefined ? [] : [`*May still land until* ${date(horizon)}`]),
    ...(expiresAt === undefined ? [] : [`*Asked again from* ${date(expiresAt)}`]),
    ...because.map((reason) => `• because ${code(reason)}`),
    ...evidence.map((fact) => `• ${code(fact)}`),
  ];
}

function showArguments(shown: ShownArguments): string {
  switch (shown.is) {
    case 'whole':
      return JSON.stringify(shown.value);
    case 'cut':
      return `${shown.text}… (${shown.sizeBytes} bytes)`;
    case 'stored':
      return `stored, ${shown.sizeBytes} bytes`;
  }
}

// The type is made from the reason and nothing else.
const reasonOf = (type: Alert['type']): AlertReason => type.slice('holdfast.question.'.length) as AlertReason;

const section = (text: string): SlackBlock => ({ type: 'section', text: mrkdwn(text) });
const context = (text: string): SlackBlock => ({ type: 'context', elements: [mrkdwn(text)] });
const mrkdwn = (text: string): SlackText => ({ type: 'mrkdwn', text, verbatim: true });

const code = (text: string): string => `\`${escape(oneLine(text, MAX_FACT), MAX_FACT)}\``;
const codeBlock = (lines: readonly string[]): string =>
  `\`\`\`${escape(lines.map((line) => oneLine(line, MAX_CODE)).join('\n'), MAX_CODE)}\`\`\``;

/** A time as Slack shows it in each reader's own zone; the fallback is ISO 8601. */
const date = (iso: string): string =>
  `<!date^${Math.floor(Date.parse(iso) / 1_000)}^{date_short_pretty} {time}|${iso}>`;

// A backtick would end the code it stands in.
const ESCAPED: Readonly<Record<string, string>> = Object.freeze({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '`': '\u02cb',
});

/** Cut between two letters, never inside an escape. */
function escape(text: string, maxLength: number): string {
  let escaped = '';
  for (const letter of text) {
    const next = ESCAPED[letter] ?? letter;
    if (escaped.length + next.length >= maxLength) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
}

function withinLines(lines: readonly string[], maxLength: number): string {
  let text = '';
  for (const line of lines) {
    if (text.length + line.length + 1 > maxLength) break;
    text += text === '' ? line : `\n${line}`;
  }
  return text;
}
