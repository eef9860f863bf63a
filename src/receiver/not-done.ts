/**
 * Thrown by a service's work: provably nothing happened, and the same request may be tried again. The key is free at once,
 * and the caller is answered with 503 and this message.
 */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** By name, not by class: the service's copy of the package may be another one. */
export const isNotDone = (error: unknown): error is Error => error instanceof Error && error.name === 'NotDone';
