import type { Json } from './json.ts';

/**
 * The one text of a JSON value: keys in the order of their UTF-16 units, no white space (RFC 8785). Fields that are
 * undefined are left out, as JSON does. @throws TypeError for what JSON would lose or change: NaN, dates, class instances.
 */
export function canonicalJson(value: Json): string {
  return write(value, '$');
}

function write(value: unknown, path: string): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return writeArray(value, path);
  if (isPlainObject(value)) return writeObject(value, path);
  throw new TypeError(`Cannot write ${path} as JSON: it is ${describe(value)}. Turn it into plain data first.`);
}

function writeArray(value: readonly unknown[], path: string): string {
  // Array.from, unlike map, does not skip holes.
  return `[${Array.from(value, (item, index) => write(item, `${path}[${index}]`)).join(',')}]`;
}

function writeObject(value: Readonly<Record<string, unknown>>, path: string): string {
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(value[key], `${path}.${key}`)}`);
  return `{${fields.join(',')}}`;
}

/** Made by `{}`, JSON or a database row, in whichever realm, and of no class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function describe(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  return typeof value === 'object' ? Object.prototype.toString.call(value) : `a ${typeof value}`;
}
