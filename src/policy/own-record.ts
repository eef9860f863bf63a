/** Whose record it is: one call of one run, also after a reset or continue-as-new. */
export interface CallIdentity {
  readonly run: string;
  readonly execution: string;
  readonly call: string;
}

/** True for a record of this very call. */
export function isOwn(record: CallIdentity, call: CallIdentity): boolean {
  return record.run === call.run && record.execution === call.execution && record.call === call.call;
}
