import type { DatabaseSync } from 'node:sqlite';
import { answerTaken } from './answer-taken.ts';
import { fateOf } from './fate-of.ts';
import type { Honouring } from './honour-keys.ts';
import { keptHeaders, toResponse } from './kept-answer.ts';
import type { KeptAnswer } from './key-store.ts';
import { isNotDone } from './not-done.ts';
import type { SqliteKeyStore } from './open-key-store.ts';
import { problem } from './problem.ts';
import { readRequest, type ReadRequest } from './read-request.ts';

/** An answer that is there at once. A body that is an object is sent as JSON. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

/** What the work of one request gets. */
export interface PlainRequest {
  /** The store's own connection, inside the transaction. */
  readonly database: DatabaseSync;
  /** The request's body. */
  readonly text: string;
  readonly key: string | undefined;
}

/**
 * Like `honourKeys`, for work that is nothing but statements on the store's own database: key, effect and answer are one
 * transaction, so no crash leaves a key in doubt. `work` must be done when it returns: no promise, no call to another service.
 * An error, and an answer that is not kept (429, 408, 5xx), undoes all of it and leaves the key free.
 * @throws what the work throws, and what the store throws; nothing has happened then.
 */
export async function honourInTransaction(
  { keys, request, scope = '', keyless = 'refuse' }: Honouring<SqliteKeyStore>,
  work: (request: PlainRequest) => PlainAnswer,
): Promise<Response> {
  const read = await readRequest(request, scope);
  if (read.is === 'unusable') return problem('key-unusable');
  if (read.is === 'keyless' && keyless === 'refuse') return problem('key-missing');
  return act(keys, read, await request.text(), work);
}

async function act(
  keys: SqliteKeyStore,
  read: ReadRequest,
  text: string,
  work: (request: PlainRequest) => PlainAnswer,
): Promise<Response> {
  const keyed = read.is === 'keyed' ? read.keyed : undefined;
  try {
    const end = await keys.act(
      keyed,
      (database) => checked(toKeptAnswer(work({ database, text, key: keyed?.key }))),
      ({ status }) => fateOf(status) === 'keep',
    );
    return end.is === 'acted' ? toResponse(end.answer) : answerTaken(end);
  } catch (error) {
    if (isNotDone(error)) return problem('not-done', error.message);
    throw error;
  }
}

function toKeptAnswer({ status, headers = {}, body = '' }: PlainAnswer): KeptAnswer {
  if (!Number.isInteger(status)) {
    throw new TypeError(
      `The work of honourInTransaction answered with status ${String(status)}. Return { status, body } itself, not a promise: what comes later is outside the transaction. For other work use honourKeys.`,
    );
  }
  const isJson = typeof body !== 'string';
  return {
    status,
    headers: keptHeaders(Object.entries({ ...(isJson && { 'content-type': 'application/json' }), ...headers })),
    body: new TextEncoder().encode(isJson ? JSON.stringify(body) : body),
  };
}

/** Inside the transaction: an answer that cannot be sent undoes the work. */
function checked(answer: KeptAnswer): KeptAnswer {
  toResponse(answer);
  return answer;
}
