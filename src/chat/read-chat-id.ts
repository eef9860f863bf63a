import { quoteId } from './quote-id.ts';
import { refuse, type Refusal } from './refusal.ts';

const ID = /^[\w.:@+-]{1,100}$/;

/** Lead somewhere else in a path, or are a part of ours. */
const TAKEN = ['.', '..', 'stream'];

/** A chat's id becomes part of its runs' ids, and of paths. */
export function readChatId(id: unknown): { readonly is: 'chat'; readonly chat: string } | Refusal {
  if (typeof id === 'string' && ID.test(id) && !TAKEN.includes(id)) return { is: 'chat', chat: id };
  const why = `The chat id ${quoteId(id)} cannot be used. Write 1 to 100 letters, digits or any of _ . : @ + -, and neither ".", ".." nor "stream".`;
  return refuse(400, why);
}
