import type { LookupFunction } from 'node:net';
import { Agent, fetch as send, type buildConnector, type RequestInfo, type RequestInit as SendInit } from 'undici';
import { tlsTellingConnector } from '../../src/workers/tls-telling-connector.ts';
import type { Fixture } from './fixture.ts';
import type { Peer } from './open-peer.ts';

export interface Client {
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

/** What a case is sent with: its limits, its resolver, whom it trusts. Every case has connections of its own. */
export function openClient({ client = {}, fault }: Fixture, { ca }: Pick<Peer, 'ca'>): Client {
  const { headersTimeoutMs = 30_000, bodyTimeoutMs = 30_000, connectTimeoutMs = 10_000 } = client;
  const dispatcher = new Agent({
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    connect:
      fault?.kind === 'connect-error'
        ? failingConnector(fault.code ?? 'ECONNREFUSED')
        : tlsTellingConnector({ timeout: connectTimeoutMs, lookup: lookupOf(fault), ...(ca !== undefined && { ca }) }),
  });
  const fetchIt = async (target: unknown, init: unknown) =>
    send(target as RequestInfo, { ...(init as SendInit), dispatcher });
  return { fetch: fetchIt, close: () => dispatcher.destroy() };
}

function failingConnector(code: string): buildConnector.connector {
  return (_options, callback) => {
    callback(Object.assign(new Error(`connect ${code} 127.0.0.1`), { code, syscall: 'connect' }), null);
  };
}

/** Every name is this machine; or there is no answer, or a failure, as the case wants it. */
function lookupOf(fault: Fixture['fault']): LookupFunction {
  return (host, options, callback) => {
    if (fault?.kind === 'connect-timeout') return;
    if (fault?.kind === 'dns') {
      const code = fault.code ?? 'ENOTFOUND';
      const error = Object.assign(new Error(`getaddrinfo ${code} ${host}`), {
        code,
        syscall: 'getaddrinfo',
        hostname: host,
      });
      callback(error, '');
    } else if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
    else callback(null, '127.0.0.1', 4);
  };
}
