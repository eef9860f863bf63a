import type { Alert } from '../contracts/alert.ts';

/** Tells people of questions. Called by an activity, once an attempt; Temporal repeats the attempt until it holds. */
export interface Notifier {
  /** Resolves when the receiver has taken it. @throws when it has not, with a message that names no secret. */
  send(alert: Alert): Promise<void>;
}
