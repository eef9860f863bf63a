import type { Amount } from '../contracts/amount.ts';

/** `$49.00`, `1,200 JPY` as its currency is written, or the bare number; `not known` for null. */
export function describeAmount(amount: Amount | null): string {
  if (amount === null) return 'not known';
  const { value, currency } = amount;
  if (currency === undefined) return String(value);
  try {
    return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(value);
  } catch {
    // Not a code that Intl takes: the tool's own word for it.
    return `${value} ${currency}`;
  }
}
