import { createHash } from 'node:crypto';
import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import { assertNever } from '../policy/assert-never.ts';
import type { ChatMessage } from './chat-message.ts';
import { hideSecrets, hideSecretsInJson } from './hide-secrets.ts';
import { isRecord, parseJson } from './parse-json.ts';

/**
 * 32 hex digits of what was said and answered so far. The same for the same conversation, whatever its call ids, its
 * instructions, and the secrets that were hidden in it.
 */
export function conversationDigest(messages: readonly ChatMessage[]): string {
  return digest(messages.flatMap(essence));
}

/** 32 hex digits of a call's arguments, given as JSON text. */
export const argumentsDigest = (text: string): string => digest(readHidden(text));

function essence(message: ChatMessage): readonly Json[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [['user', hideSecrets(message.content)]];
    case 'assistant': {
      const calls = message.calls.map((call) => [call.tool, readHidden(call.arguments)]);
      return [['assistant', hideSecrets(message.content), calls]];
    }
    case 'tool':
      return [['tool', resultOf(readHidden(message.content))]];
    default:
      return assertNever(message);
  }
}

/** Of an answer of Holdfast's, its status and data: its words to the model may change. */
function resultOf(reply: Json): Json {
  if (!isRecord(reply) || typeof reply['status'] !== 'string') return reply;
  return [reply['status'], reply['data'] ?? null];
}

function readHidden(text: string): Json {
  const hidden = hideSecretsInJson(text);
  return (parseJson(hidden) as Json | undefined) ?? hidden;
}

const digest = (value: Json): string => createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
