import type { LedgerRecord } from '../../contracts/ledger.ts';
import { foldKey, type KeyState } from '../../policy/fold-key.ts';
import { describeRule } from '../../policy/fits-rule.ts';
import { questionOfKey } from '../../policy/question-of-claim.ts';
import { assertNever } from '../../policy/assert-never.ts';
import { describeAmount } from '../../policy/describe-amount.ts';
import { namedIntent } from '../named-intent.ts';
import { fit, wrap } from './fit.ts';
import type { Screen } from './screen.ts';
import { clock } from './times.ts';

const COUNTER = 5;
const STATE = 14;

/** The ledger, action by action: what stands of each, and the records that say so. `isAll`: nothing older was left out. */
export function ledgerScreen(
  records: readonly LedgerRecord[],
  { isAll }: { readonly isAll: boolean },
  screen: Screen,
): string {
  if (records.length === 0) return 'No records.';
  const byKey = Map.groupBy(records, ({ key }) => JSON.stringify([key.namespace, key.scope, key.intent]));
  const actions = [...byKey.values()].map((ofKey) => actionLines(ofKey, screen));
  const older = isAll ? [] : [screen.paint.dim('Older records are left out: --limit N shows more.')];
  return [...actions, ...older].join('\n\n');
}

function actionLines(records: readonly LedgerRecord[], screen: Screen): string {
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
  return [paint.bold(head), ...records.map((record) => recordLine(record, screen))].join('\n');
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

function recordLine(record: LedgerRecord, { paint, now, width }: Screen): string {
  const { counter, at, is, run, call } = record;
  const start = `  ${String(counter).padStart(COUNTER)}  ${clock(at, now).padEnd(10)}  ${is.padEnd(STATE)}`;
  const facts = [...factsOf(record, now), `${run} ${call}`].join(' · ');
  const [first = '', ...more] = wrap(facts, width - start.length);
  return [paint.dim(start) + first, ...more.map((line) => ' '.repeat(start.length) + line)].join('\n');
}

/** What a record says beside its state, for people. */
function factsOf(record: LedgerRecord, now: number): readonly string[] {
  switch (record.is) {
    case 'claimed': {
      const { sendBy, holder, amount, permits = [], secret, generation } = record;
      return [
        ...(amount === undefined ? [] : [describeAmount(amount)]),
        `sends by ${clock(sendBy, now)}`,
        ...(generation > 1 ? [`taken up ${generation} times`] : []),
        ...(permits.length > 0 ? [`allowed by ${permits.join(', ')}`] : []),
        ...(secret === undefined ? [] : [`key secret ${secret}`]),
        `worker ${holder}`,
      ];
    }
    case 'withdrawn':
      return [`schedule ${record.schedule} given up before it began`];
    case 'not-executed':
      return [record.proof];
    case 'done':
      return [record.late ? 'late news: it happened' : 'it happened'];
    case 'failed':
      return [record.message];
    case 'unknown':
      return [record.failure.message];
    case 'settled':
    case 'decided':
      return [`${record.decision.verdict} by ${record.decision.by}: ${record.decision.reason}`];
    case 'declined':
      return [`${record.decision.verdict} by ${record.decision.by} was refused: ${record.why}`];
    case 'ruled':
      return [describeRule(record.rule)];
    default:
      return assertNever(record);
  }
}
