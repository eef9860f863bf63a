/** What a call is worth, in the currency's main unit: `{ value: 49.5, currency: 'USD' }`. */
export interface Amount {
  readonly value: number;
  /** ISO 4217 code. Absent: a bare number, of whatever the tool counts. */
  readonly currency?: string;
}
