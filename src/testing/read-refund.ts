import { isRecord, parseJson } from './parse-json.ts';

export interface Refund {
  readonly orderId: string;
  readonly cents: number;
  readonly reason: string;
}

export type RefundReading =
  { readonly is: 'refund'; readonly refund: Refund } | { readonly is: 'invalid'; readonly message: string };

/** Reads `{ orderId, cents }` or `{ orderId, amount }` (dollars, at most two decimals, as number or text), and a reason. */
export function readRefund(body: string): RefundReading {
  const asked = parseJson(body);
  if (!isRecord(asked)) return { is: 'invalid', message: 'The body is not a JSON object.' };
  const { orderId, reason = '' } = asked;
  if (typeof orderId !== 'string' || orderId === '') return { is: 'invalid', message: 'orderId is required.' };
  if (typeof reason !== 'string') return { is: 'invalid', message: 'reason is text.' };
  if ((asked.cents === undefined) === (asked.amount === undefined))
    return { is: 'invalid', message: 'Give either cents or amount.' };
  const cents = asked.cents === undefined ? toCents(asked.amount) : asked.cents;
  if (typeof cents !== 'number' || !Number.isSafeInteger(cents) || cents <= 0)
    return { is: 'invalid', message: 'The amount is more than 0 and at most exact to the cent.' };
  return { is: 'refund', refund: { orderId, cents, reason } };
}

function toCents(amount: unknown): number | undefined {
  // Through text: 19.99 * 100 is not 1999.
  const parts = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(amount));
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')) : undefined;
}
