/**
 * Text for a database column. Halves of surrogate pairs and NUL do not survive there (two different keys would become
 * one), so they are written as `\uXXXX`, and so is the backslash that begins such a mark.
 */
export function toStorableText(text: string): string {
  return text.replace(UNSTORABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function fromStorableText(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_mark, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const UNSTORABLE = /[\0\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
