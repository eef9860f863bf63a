import { assertNever } from '../policy/assert-never.ts';
import type { PaymentMode, RefundTimes } from './payment-mode.ts';
import type { PaymentEffect } from './payment-rows.ts';

/** What becomes of a request's connection. */
export type PaymentReply =
  | {
      readonly is: 'answer';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly is: 'hang' }
  | { readonly is: 'reset' };

/** What is kept with a key. */
export interface PaymentResult {
  readonly status: number;
  readonly body: string;
}

/** A mode in which the service works on the request. */
export type WorkingMode = Extract<PaymentMode, RefundTimes>;

export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): PaymentReply {
  return { is: 'answer', status, body: JSON.stringify(body), headers };
}

export function refusal(status: number, type: string, message: string): PaymentReply {
  return answer(status, { error: { type, message } });
}

export function turnAway(status: number, retryAfterS: number | undefined): PaymentReply {
  const headers: Record<string, string> = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  return answer(status, { error: { type: 'turned_away', message: 'Not now. Nothing was done.' } }, headers);
}

/** The refund as callers see it. */
export function toPublicRefund({ id, at, orderId, cents, reason }: PaymentEffect) {
  const createdAt = new Date(at).toISOString();
  return { id, orderId, cents, amount: cents / 100, reason, status: 'succeeded', createdAt };
}

/** What a worked-on request led to. */
export function toResult(mode: WorkingMode, effect: PaymentEffect | undefined): PaymentResult {
  if (mode.is === 'break' || !effect)
    return { status: 500, body: JSON.stringify({ error: { type: 'api_error', message: 'Something went wrong.' } }) };
  return { status: 200, body: JSON.stringify(toPublicRefund(effect)) };
}

/** How the first caller hears of the result, if at all. */
export function toReply(mode: WorkingMode, result: PaymentResult): PaymentReply {
  switch (mode.is) {
    case 'answer':
    case 'break':
      return { is: 'answer', ...result };
    case 'unreadable':
      return { is: 'answer', status: 200, body: '<html>upstream sent an invalid resp' };
    case 'hang':
      return { is: 'hang' };
    case 'reset':
      return { is: 'reset' };
    default:
      return assertNever(mode);
  }
}
