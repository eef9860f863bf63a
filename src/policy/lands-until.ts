import type { OpenClaim } from './fold-key.ts';
import { RECORD_GRACE_MS } from './ledger-times.ts';

/** Until when the effect of a claim may still land, by the terms it was claimed under. Epoch milliseconds. */
export function landsUntil({ claim, lost }: OpenClaim): number {
  return Math.max(claim.sendBy, lost?.at ?? 0) + claim.landsWithinMs;
}

/** Its own worker may be at it at this moment: sight of it has not been lost, and its time to report is not over. */
export function isUnderWay({ claim, lost }: OpenClaim, now: number): boolean {
  return lost === undefined && now < claim.sendBy + RECORD_GRACE_MS;
}
