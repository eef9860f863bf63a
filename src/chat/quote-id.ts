/** An id as a refusal shows it. It came from outside and may be anything: of what is no text only the kind is shown. */
export function quoteId(id: unknown): string {
  if (typeof id === 'string') return JSON.stringify(id.slice(0, 120));
  if (Array.isArray(id)) return '[…]';
  return typeof id === 'object' && id !== null ? '{…}' : String(id);
}
