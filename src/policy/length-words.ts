import { hasWord } from './provider-words.ts';
import type { SaidOfContent } from './said-of-content.ts';

const CODES = [
  ...['context_length_exceeded', 'token_limit_exceeded', 'max_tokens_exceeded', 'exceed_context_size_error'],
  ...['context_window_exceeded', 'model_context_window_exceeded'],
];

/** Said of this one conversation, with its figures: servers say so under any status. */
const EXACT = [
  /prompt is too long: [\d,]+ tokens/i,
  /maximum context (length|window|size) (is|of) [\d,]+ tokens\. However, you/i,
];

/** What servers without a code for it say of a conversation that does not fit. */
const LOOSE = [
  /prompt is too long/i,
  /input is too long/i,
  /(maximum|max|model's) context (length|window|size)/i,
  /context (length|window|limit|size) ((is|was|has been) )?(exceeded|too small)/i,
  /exceeds? (\w+ ){0,4}context (length|window|limit|size)/i,
  /input token count[^.]*exceeds/i,
  /too many (input |prompt )?tokens (in|for) (the|this|your) (prompt|input|request|context)/i,
];

/** OpenAI names what a limit allows and what was asked: more than the whole limit never fits. Groq writes the same. */
const ASKED = /\blimit:? ([\d,]+)\b[^.]*?\brequested:? ([\d,]+)/i;
const OVER_LIMIT = /request too large/i;

/** `context`: the conversation is too long for the model; `limit`: one request asks for more than a whole rate limit. */
export function readLength({ words, messages, loose }: SaidOfContent): 'context' | 'limit' | undefined {
  if (hasWord(words, CODES)) return 'context';
  if (messages.some((message) => EXACT.some((phrase) => phrase.test(message)))) return 'context';
  if (loose.some((message) => LOOSE.some((phrase) => phrase.test(message)))) return 'context';
  return messages.some((message) => isOverLimit(message)) ? 'limit' : undefined;
}

function isOverLimit(message: string): boolean {
  const [, limit, requested] = ASKED.exec(message) ?? [];
  if (limit === undefined || requested === undefined) return false;
  return numberOf(requested) > numberOf(limit) || OVER_LIMIT.test(message);
}

const numberOf = (digits: string): number => Number(digits.replaceAll(',', ''));
