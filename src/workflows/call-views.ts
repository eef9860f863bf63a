import type { CallView } from '../contracts/run.ts';
import type { Run } from './run.ts';

/** How many calls the state query shows; the event store has them all. */
const SHOWN = 100;

/** Shows a call as under way; a call that is taken up again keeps its one line. */
export function startView(run: Run, about: Pick<CallView, 'call' | 'turn' | 'kind' | 'name' | 'intent'>): CallView {
  const view: CallView = { ...about, state: 'running', startedAt: Date.now() };
  run.views = [...run.views.filter(({ call }) => call !== about.call), view].slice(-SHOWN);
  return view;
}

/** Changes what is shown of a call. */
export function updateView(run: Run, call: string, change: Partial<CallView>): void {
  run.views = run.views.map((view) => (view.call === call ? { ...view, ...change } : view));
}

/** Shows a call as over. */
export function endView(run: Run, { call }: Pick<CallView, 'call'>, change: Partial<CallView>): void {
  updateView(run, call, { ...change, endedAt: Date.now() });
}
