import { types } from 'node:util';
import type { Json } from '../contracts/json.ts';
import type { TranscriptStore } from '../contracts/transcript.ts';
import { isPlainObject } from '../contracts/canonical-json.ts';

/** A message of the AI SDK, as the port names it. */
export type Message = Parameters<TranscriptStore['append']>[1][number];

/**
 * Messages may hold bytes and URLs, which JSON cannot. They become `{ "$bytes": base64 }` and `{ "$url": href }`; a key of
 * the message's own that begins with `$` gets a second one, so that the two are never mixed up.
 */
export function messageToJson(message: Message): Json {
  // What is neither plain data nor known here is refused by `canonicalJson`, with its path.
  return encode(message) as Json;
}

/** Bytes come back as Uint8Array, URLs as URL. */
export function messageFromJson(json: Json): Message {
  // Typed by hand: the hash has shown that this is what `messageToJson` made of a message.
  return decode(json) as Message;
}

function encode(value: unknown): unknown {
  if (types.isUint8Array(value)) return { $bytes: Buffer.from(value).toString('base64') };
  if (value instanceof URL) return { $url: value.href };
  if (Array.isArray(value)) return value.map(encode);
  if (!isPlainObject(value)) return value;
  return mapFields(value, (key, field) => [key.startsWith('$') ? `$${key}` : key, encode(field)]);
}

function decode(value: Json): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (!isPlainObject(value)) return value;
  if (typeof value.$bytes === 'string') return new Uint8Array(Buffer.from(value.$bytes, 'base64'));
  if (typeof value.$url === 'string') return new URL(value.$url);
  return mapFields(value, (key, field) => [key.startsWith('$$') ? key.slice(1) : key, decode(field as Json)]);
}

const mapFields = (
  object: Readonly<Record<string, unknown>>,
  map: (key: string, field: unknown) => [string, unknown],
) => Object.fromEntries(Object.entries(object).map(([key, field]) => map(key, field)));
