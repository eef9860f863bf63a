import { ApplicationFailure } from '@temporalio/common';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import type { Question } from '../contracts/question.ts';
import type { RunIdentity } from '../contracts/requests.ts';
import { refusalOf } from '../policy/refusal-of.ts';
import { decline } from './decline.ts';
import type { ActivityPorts } from './ports.ts';

/**
 * Why a decision does not count: its sender may not decide this, or the signature is not theirs. The refusal is on record.
 * Undefined when it counts. @throws ApplicationFailure where this worker cannot tell.
 */
export async function refuseStranger(
  ports: ActivityPorts,
  { run, execution, task, agent, signed }: RunIdentity & { readonly signed: boolean },
  question: Question,
  decision: DecideApproval | ResolveOutcome,
): Promise<string | undefined> {
  const { deciders, namespace, secretOf, now } = ports;
  if (signed && deciders === undefined) throw withoutDeciders();
  const why = await refusalOf({ deciders, namespace, run, agent, question, decision, secretOf });
  if (why === undefined) return undefined;
  const { key, call, tool } = question;
  await decline(ports, {
    key,
    task,
    run,
    execution,
    call,
    tool,
    generation: 1,
    at: now(),
    is: 'declined',
    why,
    decision,
  });
  return why;
}

/** Retried: a worker with the run's configuration may take it. */
const withoutDeciders = () =>
  ApplicationFailure.create({
    type: 'NoDeciders',
    message:
      'The run counts only signed decisions, and this worker has no deciders configured. Give it the same configuration.',
  });
