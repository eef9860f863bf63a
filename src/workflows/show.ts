import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { describeRun } from '../policy/describe-run.ts';
import type { Run } from './run.ts';
import { tellsCosts } from './tells-costs.ts';
import { viewOf } from './view-of.ts';

const AGENT = defineSearchAttributeKey('HoldfastAgent', 'KEYWORD');
const TASK = defineSearchAttributeKey('HoldfastTaskId', 'KEYWORD');
const STATUS = defineSearchAttributeKey('HoldfastStatus', 'KEYWORD');
const SPEND = defineSearchAttributeKey('HoldfastSpendMicros', 'INT');
const WAITING_FOR = defineSearchAttributeKey('HoldfastWaitingFor', 'KEYWORD_LIST');

/** Makes the run's state visible: current details always, search attributes when they changed. A kind, never content. */
export function show(run: Run): void {
  run.noteWaiting();
  const view = viewOf(run);
  const { place = '', signed = false } = run.card ?? {};
  setCurrentDetails(describeRun(view, { place, signed }));
  const waits = view.waitingFor.filter((kind) => kind !== 'timer');
  const looks = JSON.stringify([view.status, waits]);
  const micros = view.spend.cost?.micros ?? 0;
  const isFirst = run.shownAs === '';
  const [isSame, isSameSpend] = [run.shownAs === looks, run.shownMicros === micros];
  run.shownAs = looks;
  run.shownMicros = micros;
  const known = run.card?.searchAttributes ?? [];
  const has = (key: { readonly name: string }) => known.includes(key.name);
  const updates = [
    // A run that was not started by our client brings none along: a child, a schedule, somebody's own start.
    ...(isFirst && has(AGENT) ? [{ key: AGENT, value: view.agent }] : []),
    ...(isFirst && has(TASK) ? [{ key: TASK, value: view.taskId }] : []),
    ...(!isSame && has(STATUS) ? [{ key: STATUS, value: view.status }] : []),
    ...(!isSame && has(WAITING_FOR) ? [{ key: WAITING_FOR, value: [...waits] }] : []),
    ...(!isSameSpend && has(SPEND) && tellsCosts() ? [{ key: SPEND, value: micros }] : []),
  ];
  if (updates.length > 0) upsertSearchAttributes(updates);
}
