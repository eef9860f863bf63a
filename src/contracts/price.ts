/** USD per 1,000,000 tokens, with at most six decimals. Reasoning counts as output, as it does on providers' bills. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input tokens read from a cache. Default: as `input`, which is never too little. */
  readonly cacheRead?: number;
  /** Input tokens written to a cache. Default: as `input`. */
  readonly cacheWrite?: number;
}

/** What a model costs. */
export interface ModelPrice extends Price {
  /** Where a request with many input tokens has another price, for all its tokens. Without `price` that one is not known. */
  readonly long?: { readonly overInputTokens: number; readonly price?: Price };
}

/** A row of the built-in table. */
export interface PriceRow extends ModelPrice {
  /** The day of which the price is on record, `YYYY-MM-DD`. */
  readonly asOf: string;
  /** Where it is published. */
  readonly source: string;
  /** Its dated snapshots, `NAME-YYYYMMDD` and `NAME-YYYY-MM-DD`, cost the same. */
  readonly snapshots?: true;
}

/**
 * Prices by `account/model`, as in `ModelTarget`. A name that ends in `*` holds for all that begin so, the longest first; one
 * without beats it.
 */
export type Prices = Readonly<Record<string, ModelPrice>>;
