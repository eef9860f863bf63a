import type { Delivery } from '../contracts/failure.ts';

const BY_DOUBT: readonly Delivery[] = ['not-sent', 'refused', 'maybe-sent'];

/** The delivery of a call is the worst of any of its attempts, never that of the last one. */
export function worstDelivery(a: Delivery, b: Delivery): Delivery {
  return BY_DOUBT.indexOf(a) >= BY_DOUBT.indexOf(b) ? a : b;
}
