import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import { nameOfMessage } from '../policy/name-of-message.ts';
import type { Run } from './run.ts';

/** How a question ended: what whoever said otherwise is told, and whose word agrees with it. */
export interface Settled<Message> {
  readonly said: string;
  readonly agrees: (message: Message) => boolean;
}

/** Whoever had been heard on a question, and said otherwise before it was settled, learns what stands. Returns what is left. */
export function refuseRest<Message extends ResolveOutcome | DecideApproval>(
  run: Run,
  heard: readonly Message[],
  question: string,
  { said, agrees }: Settled<Message>,
): readonly Message[] {
  for (const message of heard.filter((one) => one.question === question && !agrees(one))) {
    run.refuse(message.id, question, said);
    run.forget(nameOfMessage(message));
  }
  return heard.filter((message) => message.question !== question);
}
