import { resolve } from 'node:path';
import type { Json } from '../contracts/json.ts';
import type { TranscriptStore } from '../contracts/transcript.ts';
import { canonicalJson, isPlainObject } from '../contracts/canonical-json.ts';
import { openHashedFiles, type HashedFiles } from './hashed-files.ts';
import { messageFromJson, messageToJson, type Message } from './message-json.ts';

/** One message of a conversation as it is stored. Its hash covers its parent's, and so all that came before. */
interface MessageNode {
  readonly parent: string | null;
  readonly message: Json;
}

/**
 * Conversations and values as files under `folder`, which is made by the first write. Several processes may write at once;
 * what a call has returned survives a power cut. Errors name the missing or damaged file, or the folder that cannot be used.
 */
export function openFileTranscripts(folder: string): TranscriptStore {
  const root = resolve(folder);
  const files = openHashedFiles(root);
  return {
    async append(head, messages) {
      if (head !== null) await readNode(files, head, head);
      return writeChain(files, root, head, messages);
    },
    async read(head) {
      const messages: Message[] = [];
      for (let hash: string | null = head; hash !== null;) {
        const node: MessageNode = await readNode(files, hash, head);
        messages.push(messageFromJson(node.message));
        hash = node.parent;
      }
      return messages.reverse();
    },
    put: (value) => writeText(files, root, canonicalJson(value)),
    get: async (ref) => readJson(files, ref, `value ${ref}`),
    close: async () => {},
  };
}

/** Oldest first: whatever is on the disk has all that came before it. */
async function writeChain(
  files: HashedFiles,
  root: string,
  head: string | null,
  messages: readonly Message[],
): Promise<string> {
  let parent = head;
  for (const message of messages) {
    parent = await writeText(files, root, canonicalJson({ parent, message: messageToJson(message) }));
  }
  if (parent === null) throw new Error('Cannot begin a conversation without a message. Append at least one.');
  return parent;
}

async function writeText(files: HashedFiles, root: string, text: string): Promise<string> {
  try {
    return await files.write(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot write to the transcripts at ${root}: ${why}. Check that the folder may be written and the disk has room.`,
      { cause },
    );
  }
}

async function readNode(files: HashedFiles, hash: string, head: string): Promise<MessageNode> {
  const what = `conversation ${head}`;
  const node = toNode(await readJson(files, hash, what));
  if (node === undefined) throw new Error(`Cannot read ${what}: ${files.pathOf(hash)} holds a value, not a message.`);
  return node;
}

function toNode(json: Json): MessageNode | undefined {
  if (!isPlainObject(json)) return undefined;
  // The test above has left only the object arm of Json.
  const { parent, message } = json as Readonly<Record<string, Json | undefined>>;
  return message !== undefined && (parent === null || typeof parent === 'string') ? { parent, message } : undefined;
}

async function readJson(files: HashedFiles, hash: string, what: string): Promise<Json> {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`Cannot read ${what}: "${hash}" is not 64 hex digits.`);
  const found = await files.read(hash);
  if (found.is === 'found') return JSON.parse(found.text) as Json;
  throw new Error(`Cannot read ${what}: its part ${hash} is ${found.is} (${files.pathOf(hash)}). ${MEANING[found.is]}`);
}

const MEANING = Object.freeze({
  missing:
    'Without it the rest cannot be used. Check that all workers use the same folder, or restore the file from a backup.',
  damaged: 'The file was changed after it was written, so it is not used. Restore it from a backup.',
});
