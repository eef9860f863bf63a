import { expect } from '@jest/globals';
import { LedgerUnavailable } from '../../src/contracts/ledger.ts';

/** The error of a call that must fail with LedgerUnavailable. */
export async function unavailable(call: Promise<unknown>): Promise<LedgerUnavailable> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LedgerUnavailable);
  return error as LedgerUnavailable;
}
