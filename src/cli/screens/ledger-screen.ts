import type { Content } from '../../contracts/content.ts';
import type { Json } from '../../contracts/json.ts';
import type { LedgerRecord } from '../../contracts/ledger.ts';
import type { DecideApproval, ResolveOutcome } from '../../contracts/messages.ts';
import { foldKey, type KeyState } from '../../policy/fold-key.ts';
import { describeRule } from '../../policy/fits-rule.ts';
import { isSameRule, ruleOfWord } from '../../policy/rule-of-word.ts';
import { isApproval } from '../../policy/weigh-leave.ts';
import { questionOfKey } from '../../policy/question-of-claim.ts';
import { assertNever } from '../../policy/assert-never.ts';
import { describeAmount } from '../../policy/describe-amount.ts';
import { namedIntent } from '../named-intent.ts';
import { keyText } from '../find-records.ts';
import { fit, wrap } from './fit.ts';
import type { Screen } from './screen.ts';
import { clock } from './times.ts';

const COUNTER = 4;
const TIME = 8;
const STATE = 12;

/**
 * The ledger, action by action: what stands of each, and the records that say so; the actions of the newest `limit` records.
 * An action is shown whole: a part of its records would say something else.
 */
export function ledgerScreen(
  records: readonly LedgerRecord[],
  { limit }: { readonly limit: number },
  screen: Screen,
): string {
  if (records.length === 0) return 'No records.';
  const byKey = Map.groupBy(records, ({ key }) => keyText(key));
  const newest = new Set(records.slice(-limit).map(({ key }) => keyText(key)));
  const shown = [...byKey].filter(([key]) => newest.has(key));
  const people = peopleIn(records);
  const actions = shown.map(([, ofKey]) => actionLines(ofKey, people, screen));
  const left = byKey.size - shown.length;
  const what = left === 1 ? 'action is' : 'actions are';
  const older = left === 0 ? [] : [screen.paint.dim(`${left} older ${what} left out: --limit N shows more.`)];
  return [...actions, ...older].join('\n\n');
}

function actionLines(records: readonly LedgerRecord[], people: People, screen: Screen): string {
  const [first] = records;
  if (!first) return '';
  const { key, tool } = first;
  const { paint, now, width } = screen;
  const isRules = first.is === 'ruled';
  const name = isRules ? `remembered approvals of ${tool}` : (namedIntent(tool, key.intent) ?? `${tool}, not named`);
  const state = isRules ? '' : ` · ${stateWords(foldKey(records), now)}`;
  const head = fit(
    `${name}${state} · ${isRules ? key.scope.replace('rules:', 'task ') : `${tool} · ${scopeWords(key.scope)}`}`,
    width,
  );
  const lines = records.map((record, at) => {
    const facts = [...factsOf(record, people, now), ...whoseCall(record, records[at - 1])];
    return recordLine(record, facts.join(' · '), screen);
  });
  return [paint.bold(head), ...lines].join('\n');
}

/** Said once, and again where another call goes on. */
function whoseCall({ run, call }: LedgerRecord, before: LedgerRecord | undefined): readonly string[] {
  return before?.run === run && before.call === call ? [] : [`${run} ${call}`];
}

/** What the records say about people, beside the record that names them. */
interface People {
  /** Whoever agreed to this very call, or made the rule that it fits. */
  behind(permits: readonly string[], call: LedgerRecord): readonly string[];
  /** Whether the rule that a word asked for was made. */
  hasRule(tool: string, word: DecideApproval): boolean;
}

function peopleIn(records: readonly LedgerRecord[]): People {
  const words = records.filter((record) => record.is === 'decided');
  const rules = records.filter((record) => record.is === 'ruled').map(({ rule }) => rule);
  const namesOf = (permit: string, { run, call }: LedgerRecord) => {
    const own = words.filter((record) => record.decision.id === permit && record.run === run && record.call === call);
    if (own.length > 0) return own.map(({ decision }) => decision.by);
    const ofRules = rules.filter(({ id }) => id === permit).map(({ by }) => `a rule of ${by}`);
    return ofRules.length > 0 ? ofRules : [permit];
  };
  return {
    // Two people may have decided under one id.
    behind: (permits, call) => [...new Set(permits.flatMap((permit) => namesOf(permit, call)))],
    hasRule: (tool, word) => {
      const asked = ruleOfWord(tool, word);
      return asked !== undefined && rules.some((rule) => isSameRule(rule, asked));
    },
  };
}

function scopeWords(scope: string): string {
  return scope.replace(/^(task|agent):/, '$1 ');
}

/** What the records of an action amount to. */
function stateWords(state: KeyState, now: number): string {
  switch (state.is) {
    case 'done':
      return state.contradicts ? 'done, although a decision denies it' : 'done';
    case 'closed':
      return 'reversed';
    case 'failed':
      return 'failed';
    case 'free':
      return 'nothing happened';
    case 'open':
      return questionOfKey(state, now) ? 'outcome unknown' : 'may be under way';
    default:
      return assertNever(state);
  }
}

function recordLine({ counter, at, is }: LedgerRecord, facts: string, { paint, now, width }: Screen): string {
  const start = `${String(counter).padStart(COUNTER)}  ${clock(at, now).padEnd(TIME)}  ${is.padEnd(STATE)}  `;
  const [first = '', ...more] = wrap(facts, width - start.length);
  return [paint.dim(start) + first, ...more.map((line) => ' '.repeat(start.length) + line)].join('\n');
}

/** What a record says beside its state, for people. */
function factsOf(record: LedgerRecord, people: People, now: number): readonly string[] {
  switch (record.is) {
    case 'claimed': {
      const { sendBy, holder, amount, permits = [], secret, generation, input } = record;
      return [
        ...(amount === undefined ? [] : [describeAmount(amount)]),
        showContent(input),
        `sends by ${clock(sendBy, now)}`,
        ...(generation > 1 ? [`taken up ${generation} times`] : []),
        ...(permits.length > 0 ? [`allowed by ${people.behind(permits, record).join(', ')}`] : []),
        ...(secret === undefined ? [] : [`key secret ${secret}`]),
        `worker ${holder}`,
      ];
    }
    case 'withdrawn':
      return [`schedule ${record.schedule} given up before it began`];
    case 'not-executed':
      return [record.proof];
    case 'done':
      return [record.late ? 'late news: it happened' : 'it happened', showContent(record.result)];
    case 'failed':
      return [record.message];
    case 'unknown':
      return [record.failure.message];
    case 'settled':
    case 'decided':
      return wordsOf(record.decision, record.tool, people);
    case 'declined':
      return [`${record.decision.verdict} by ${record.decision.by} was refused: ${record.why}`];
    case 'ruled':
      return [describeRule(record.rule)];
    default:
      return assertNever(record);
  }
}

function wordsOf(word: DecideApproval | ResolveOutcome, tool: string, people: People): readonly string[] {
  const { verdict, by, reason, evidence } = word;
  const more = isApproval(word)
    ? [
        ...(word.input === undefined ? [] : [`with other arguments: ${shortJson(word.input)}`]),
        ...(word.remember ? [people.hasRule(tool, word) ? 'remembered as a rule' : 'asked for a rule'] : []),
      ]
    : [
        ...(word.result === undefined ? [] : [`result ${shortJson(word.result)}`]),
        ...(word.then === 'retry' ? ['then tried again'] : []),
        ...(word.override ? ['although it might still have landed'] : []),
      ];
  const signed = word.signature === undefined ? [] : ['signed'];
  return [`${verdict} by ${by}: ${reason}`, ...more, ...(evidence === undefined ? [] : [evidence]), ...signed];
}

const MOST_LETTERS = 120;

const shortJson = (value: Json): string => fit(JSON.stringify(value), MOST_LETTERS);

const showContent = (content: Content): string =>
  content.is === 'inline' ? shortJson(content.value) : `stored, ${content.sizeBytes} bytes`;
