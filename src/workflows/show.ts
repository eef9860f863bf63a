import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { describeRun } from '../policy/describe-run.ts';
import type { Run } from './run.ts';
import { viewOf } from './view-of.ts';

const AGENT = defineSearchAttributeKey('HoldfastAgent', 'KEYWORD');
const TASK = defineSearchAttributeKey('HoldfastTaskId', 'KEYWORD');
const STATUS = defineSearchAttributeKey('HoldfastStatus', 'KEYWORD');
const WAITING_FOR = defineSearchAttributeKey('HoldfastWaitingFor', 'KEYWORD_LIST');

/** Makes the run's state visible: current details always, search attributes when they changed. A kind, never content. */
export function show(run: Run): void {
  run.noteWaiting();
  const view = viewOf(run);
  const { place = '', signed = false } = run.card ?? {};
  setCurrentDetails(describeRun(view, { place, signed }));
  const waits = view.waitingFor.filter((kind) => kind !== 'timer');
  const looks = JSON.stringify([view.status, waits]);
  if (run.shownAs === looks) return;
  const isFirst = run.shownAs === '';
  run.shownAs = looks;
  const known = run.card?.searchAttributes ?? [];
  const updates = [
    // A run that was not started by our client brings none along: a child, a schedule, somebody's own start.
    ...(isFirst && known.includes(AGENT.name) ? [{ key: AGENT, value: view.agent }] : []),
    ...(isFirst && known.includes(TASK.name) ? [{ key: TASK, value: view.taskId }] : []),
    ...(known.includes(STATUS.name) ? [{ key: STATUS, value: view.status }] : []),
    ...(known.includes(WAITING_FOR.name) ? [{ key: WAITING_FOR, value: [...waits] }] : []),
  ];
  if (updates.length > 0) upsertSearchAttributes(updates);
}
