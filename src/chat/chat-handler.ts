import { durationMs } from '../policy/duration-ms.ts';
import { checkChatOptions, type ChatOptions } from './chat-options.ts';
import { findStanding, type FollowedRun } from './follow-run.ts';
import { foldChat } from './fold-chat.ts';
import { readBody } from './read-body.ts';
import { readChatId } from './read-chat-id.ts';
import { readPost } from './read-post.ts';
import { errorResponse, refuse, type Refusal } from './refusal.ts';
import { showMessages } from './show-messages.ts';
import { startOrJoin } from './start-or-join.ts';
import { streamRun } from './stream-run.ts';
import { textInput, whyNoText } from './to-input.ts';

/** A run that ended longer ago has been seen. One that ended in a phone's sleep has not. */
const REPLAYED_FOR_MS = 86_400_000;

/**
 * One function from Request to Response, for any server: `POST …` starts or joins the run of the newest message and streams it,
 * `GET …/CHAT/stream` takes the last answer up from its first chunk on (204: there is none), `GET …/CHAT` gives the chat's messages.
 * A reader that goes away changes nothing for the run. Never rejects. @throws Error at once for options that cannot be meant.
 */
export function chatHandler(options: ChatOptions): (request: Request) => Promise<Response> {
  checkChatOptions(options);
  const { client, agent, authorize, task = 'chat', place = '', hides = [], onError = printError } = options;
  const keepAliveMs = durationMs(options.keepAlive ?? '15s', 'keepAlive');
  const answering = { client, agent, task, toInput: options.toInput ?? textInput };

  async function isAllowed(request: Request, chat: string): Promise<boolean> {
    try {
      await authorize(request, chat);
      return true;
    } catch {
      return false;
    }
  }

  async function stream(run: FollowedRun, request: Request, newerThan: number): Promise<Response> {
    const standing = await findStanding(run);
    const isOld = standing.is === 'ended' && standing.at < newerThan;
    if (standing.is === 'unknown' || isOld) return new Response(null, { status: 204 });
    const onBroken = (error: unknown) => onError(error, request);
    return streamRun(run, { from: standing.from, place, hides, keepAliveMs, onBroken });
  }

  async function answer(request: Request): Promise<Response | Refusal> {
    const body = await readBody(request);
    if (body.is === 'refused') return body;
    const post = readPost(body.value);
    if (post.is === 'refused') return post;
    if (!(await isAllowed(request, post.chat))) return FORBIDDEN;
    // Without a function of the owner's only text is read.
    const unread = options.toInput ? undefined : whyNoText(post.message);
    return unread ?? stream(await startOrJoin(answering, post), request, -Infinity);
  }

  async function read(request: Request): Promise<Response | Refusal> {
    const { id, isStream } = readPath(request);
    const named = readChatId(id);
    if (named.is === 'refused') return named;
    if (!(await isAllowed(request, named.chat))) return FORBIDDEN;
    const asked = foldChat(await client.chat(named.chat).entries());
    if (!isStream)
      return Response.json({ messages: await showMessages(client, asked, { place, hides, pieces: true }) });
    const last = asked.at(-1);
    if (!last) return new Response(null, { status: 204 });
    return stream(client.get(last.run), request, Date.now() - REPLAYED_FOR_MS);
  }

  return async (request) => {
    try {
      const { method } = request;
      const met = method === 'POST' ? await answer(request) : method === 'GET' ? await read(request) : NOT_ALLOWED;
      return met instanceof Response ? met : errorResponse(met.status, met.why);
    } catch (error) {
      onError(error, request);
      return errorResponse(500, UNSERVED);
    }
  };
}

const UNSERVED = 'The chat cannot be served now. Try again: a message that is sent twice is answered once.';
const FORBIDDEN = refuse(403, 'You may not use this chat.');
const NOT_ALLOWED = refuse(405, 'Send GET or POST.');

/** `…/CHAT` or `…/CHAT/stream`, wherever the handler is mounted. */
function readPath({ url }: Request): { readonly id: string | undefined; readonly isStream: boolean } {
  const segments = new URL(url).pathname.split('/').filter((segment) => segment !== '');
  const isStream = segments.at(-1) === 'stream';
  return { id: decodeSegment(segments.at(isStream ? -2 : -1)), isStream };
}

/** Undefined for what is no text in a path. */
function decodeSegment(segment = ''): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

const printError = (error: unknown): void => console.error('The chat handler met an error:', error);
