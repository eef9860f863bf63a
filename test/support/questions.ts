import type { RunHandle } from '../../src/client/run-handle.ts';
import type { ApprovalQuestion, OutcomeQuestion } from '../../src/contracts/question.ts';
import { eventually } from './eventually.ts';

const WITHIN_MS = 30_000;

/** The run's open question about an outcome, as soon as it asks one. */
export function outcomeOf(run: RunHandle): Promise<OutcomeQuestion> {
  return eventually(
    'a question about an outcome',
    async () => (await run.state())?.questions.find((question) => question.kind === 'outcome'),
    WITHIN_MS,
  );
}

/** The run's open question for an approval, as soon as it asks one; of one tool call, where several ask. */
export function approvalOf(run: RunHandle, isMeant: (question: ApprovalQuestion) => boolean = () => true) {
  return eventually(
    'a question for an approval',
    async () => {
      const questions = (await run.state())?.questions ?? [];
      return questions.filter((question) => question.kind === 'approval').find(isMeant);
    },
    WITHIN_MS,
  );
}
