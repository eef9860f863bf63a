import { refuse, type Refusal } from './refusal.ts';

/** A front end sends the whole chat with each message. */
const MOST_BYTES = 4_000_000;

/** So much is read, and what is too much thrown away: cut off while it sends, a sender mostly does not hear why. */
const MOST_HEARD_BYTES = 4 * MOST_BYTES;

const TOO_LARGE = refuse(413, 'The request is larger than 4 MB. Send only the new message, or begin another chat.');

/** A request's JSON. Nothing beyond the limit is kept. */
export async function readBody(request: Request): Promise<{ readonly is: 'json'; readonly value: unknown } | Refusal> {
  // A page of another site can send a form in a visitor's name, but not this type.
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    return refuse(415, 'Send the message as JSON, with content-type: application/json.');
  const text = await readText(request);
  if (text === undefined) return TOO_LARGE;
  try {
    return { is: 'json', value: JSON.parse(text) as unknown };
  } catch {
    return refuse(400, 'The body is not JSON. Send { id, messages } as useChat does.');
  }
}

async function readText({ body }: Request): Promise<string | undefined> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // The types of the platform's streams leave out what they hold. Leaving the loop cancels the rest, and cuts the line.
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MOST_HEARD_BYTES) return undefined;
    if (bytes <= MOST_BYTES) text += decoder.decode(chunk, { stream: true });
  }
  if (bytes > MOST_BYTES) return undefined;
  return text + decoder.decode();
}
