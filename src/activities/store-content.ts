import { inline, type Content } from '../contracts/content.ts';
import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import type { TranscriptStore } from '../contracts/transcript.ts';
import { wellFormedJson } from '../policy/well-formed-json.ts';

/** Holds a value in place, or by reference from `fromBytes` on. */
export async function storeContent(transcripts: TranscriptStore, value: Json, fromBytes: number): Promise<Content> {
  const sizeBytes = Buffer.byteLength(canonicalJson(value));
  if (sizeBytes < fromBytes) return inline(value);
  return { is: 'stored', ref: await transcripts.put(value), sizeBytes };
}

/** The value itself. @throws when a stored one is missing or damaged. */
export async function loadContent(transcripts: TranscriptStore, content: Content): Promise<Json> {
  return content.is === 'inline' ? content.value : transcripts.get(content.ref);
}

/** What a tool returned, as JSON. Undefined becomes null, half a character U+FFFD. `unreadable`: it cannot be written as JSON. */
export function toJson(value: unknown): { readonly value: Json } | { readonly unreadable: string } {
  try {
    const text = JSON.stringify(value === undefined ? null : value) as string | undefined;
    return text === undefined
      ? { unreadable: `a ${typeof value}` }
      : { value: JSON.parse(wellFormedJson(text)) as Json };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
}
