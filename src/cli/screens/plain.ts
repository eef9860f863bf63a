// Control characters but newline and tab, and the marks that turn the direction of text: what a model or a peer wrote
// must not move the cursor, colour the screen or hide a part of a command.
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The same data with every text in it safe to show on a terminal. */
export function plain<Data>(data: Data): Data {
  return clean(data) as Data;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(HARMFUL, '');
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item)]));
}
