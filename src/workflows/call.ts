import type { CallProgress, CallState } from '../contracts/run.ts';

/** One call of the turn, while the workflow works on it. */
export class Call {
  /** Another one once somebody has agreed to other arguments. */
  plan: CallState['plan'];
  schedule: number;
  progress: CallProgress;
  giveUpAt: number | null;

  constructor({ plan, schedule, progress, giveUpAt }: CallState) {
    this.giveUpAt = giveUpAt;
    this.plan = plan;
    this.schedule = schedule;
    this.progress = progress;
  }

  get state(): CallState {
    const { plan, schedule, progress, giveUpAt } = this;
    return { plan, schedule, progress, giveUpAt };
  }
}

/** A call as the plan has it: nothing has been done for it. */
export const newCall = (plan: CallState['plan']): Call =>
  new Call({ plan, schedule: 0, progress: { is: 'due' }, giveUpAt: null });
