/** A thousand of the kind still add up exactly: a trillion tokens, or a million dollars in micro-dollars. */
const MOST = 1e12;

/** A figure as a provider says it, of tokens or micro-dollars. Null for what is none: negative, broken, not finite or beyond belief. */
export function readCount(figure: unknown): number | null {
  return Number.isInteger(figure) && (figure as number) >= 0 && (figure as number) <= MOST ? (figure as number) : null;
}
