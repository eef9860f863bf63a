import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  CostFound,
  DecideApproval,
  LateOutcome,
  OutcomeUnknown,
  ResolveOutcome,
  Stop,
} from '../contracts/messages.ts';
import type { Question } from '../contracts/question.ts';
import type { RunView } from '../contracts/run.ts';

/** A person's answer to an unknown outcome. As signal it always "succeeds": what became of it shows in the details. */
export const resolveOutcomeSignal = defineSignal<[ResolveOutcome]>('resolveOutcome');
/** The same, refused at once when it does not fit; answers what stands. */
export const resolveOutcomeUpdate = defineUpdate<string, [ResolveOutcome]>('resolveOutcome');
/** A person's word on a call that waits for it; as signal and, refused at once when it does not fit, as update. */
export const decideApprovalSignal = defineSignal<[DecideApproval]>('decideApproval');
export const decideApprovalUpdate = defineUpdate<string, [DecideApproval]>('decideApproval');
export const stopSignal = defineSignal<[Stop]>('stop');
export const stopUpdate = defineUpdate<string, [Stop]>('stop');
export const lateOutcomeSignal = defineSignal<[LateOutcome]>('lateOutcome');
/** What a call has cost, found after it was over. */
export const costFoundSignal = defineSignal<[CostFound]>('costFound');
/** Sent to the parent or `escalateTo` of a run that raised a question. */
export const outcomeUnknownSignal = defineSignal<[OutcomeUnknown]>('outcomeUnknown');
export const stateQuery = defineQuery<RunView>('state');
export const questionsQuery = defineQuery<readonly Question[]>('questions');
