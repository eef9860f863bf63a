import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface PeerQuestion {
  readonly incoming: IncomingMessage;
  readonly target: URL;
  readonly signal: AbortSignal;
  /** The answer must be readable here, so it must not come compressed. */
  readonly isRead: boolean;
}

/** Passes a request on as it came, and resolves with the answer once its headers are here. Rejects when the peer gives none. */
export function askPeer({ incoming, target, signal, isRead }: PeerQuestion): Promise<IncomingMessage> {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  const path = target.pathname.replace(/\/$/, '') + (incoming.url ?? '/');
  const passed = passedOn(incoming.rawHeaders);
  const own = ['host', target.host, ...(isRead ? ['accept-encoding', 'identity'] : [])];
  const names = isRead ? without(passed, 'accept-encoding') : passed;
  return new Promise((resolve, reject) => {
    const asked = send(new URL(path, target), {
      method: incoming.method,
      headers: [...without(names, 'host'), ...own],
      agent: false,
      signal,
    });
    asked.on('response', resolve).on('error', reject);
    incoming.on('error', reject).pipe(asked);
  });
}

// RFC 9110, section 7.6.1: they are about one connection, and there are two.
const OF_ONE_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];

/** The headers that go through a proxy, names and values in one list as Node has them. */
export const passedOn = (rawHeaders: readonly string[]): readonly string[] => without(rawHeaders, ...OF_ONE_CONNECTION);

/** The list without these headers. */
export function without(rawHeaders: readonly string[], ...names: readonly string[]): readonly string[] {
  return rawHeaders.filter((_, at) => !names.includes((rawHeaders[at - (at % 2)] ?? '').toLowerCase()));
}
