import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertNever } from '../policy/assert-never.ts';
import { askPeer, passedOn, without } from './ask-peer.ts';
import { readFaultPlan } from './fault-plan.ts';
import { sendJson, serve, type LocalServer } from './local-server.ts';
import type { FaultPlan, ProxyFault } from './proxy-fault.ts';
import { brokenEvents, firstBytes, inDrops } from './spoil-body.ts';
import { errorReply, sendReply } from './wire-reply.ts';

export interface FaultProxyOptions {
  /** The peer's address, with or without a path: `http://127.0.0.1:8080`, `https://api.example.com/v1`. */
  readonly target: string;
  /** Default: none, so that everything passes. */
  readonly faults?: FaultPlan;
  /** Default 0: a free one. */
  readonly port?: number;
}

/** A request as it came by. */
export interface ProxiedRequest {
  /** 1 for the first. */
  readonly number: number;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly fault?: ProxyFault;
}

export interface FaultProxy extends LocalServer {
  requests(): readonly ProxiedRequest[];
  /** From the next request on, which is number 1 of this plan. */
  setFaults(faults: FaultPlan): void;
}

/**
 * Stands on 127.0.0.1 before any HTTP peer, a model or a service, and spoils what the plan says. All else passes as it is.
 * A peer that cannot be reached is a 502. @throws when the target or the plan cannot be used, or the port is taken.
 */
export async function startFaultProxy({ target, faults = [], port }: FaultProxyOptions): Promise<FaultProxy> {
  const peer = readTarget(target);
  const requests: ProxiedRequest[] = [];
  const closing = new AbortController();
  let faultOf = readFaultPlan(faults);
  let before = 0;

  const server = await serve((incoming, response) => {
    const number = requests.length + 1;
    const fault = faultOf(number - before);
    const { method = 'GET', url = '/' } = incoming;
    requests.push({ number, method, path: url.replace(/[?#].*/, ''), ...(fault && { fault }) });
    const left = new AbortController();
    response.on('close', () => left.abort());
    const signal = AbortSignal.any([closing.signal, left.signal]);
    pass({ incoming, response, peer, fault, signal }).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (!signal.aborted) sendJson(response, 502, unreachable(peer, error));
    });
  }, port);

  return {
    url: server.url,
    requests: () => [...requests],
    setFaults(next) {
      faultOf = readFaultPlan(next);
      before = requests.length;
    },
    close: () => {
      closing.abort();
      return server.close();
    },
  };
}

interface Passing {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly peer: URL;
  readonly fault: ProxyFault | undefined;
  readonly signal: AbortSignal;
}

async function pass(passing: Passing): Promise<void> {
  const { incoming, response, peer, fault, signal } = passing;
  if (fault?.is === 'status' || fault?.is === 'drop' || fault?.is === 'hang') {
    await (fault.peerActs ? loseAnswer(passing) : drain(incoming));
    replaceAnswer(response, fault);
    return;
  }
  const isRead = fault?.is === 'stream-error';
  const answer = await askPeer({ incoming, target: peer, signal, isRead });
  if (fault?.is === 'delay') await sleep(fault.ms, undefined, { signal });
  const headers = passedOn(answer.rawHeaders);
  response.writeHead(answer.statusCode ?? 502, [...(isRead ? without(headers, 'content-length') : headers)]);
  for await (const piece of spoil(answer, fault, signal)) {
    if (!response.write(piece)) await once(response, 'drain', { signal });
  }
  if (fault?.is === 'reset') await reset(response);
  else response.end();
}

/** Reads what the caller sends to its end: a fault comes after the request, as it would from a peer. */
async function drain(body: IncomingMessage): Promise<void> {
  if (!body.complete) await once(body.resume(), 'end');
}

async function loseAnswer({ incoming, peer, signal }: Passing): Promise<void> {
  await drain(await askPeer({ incoming, target: peer, signal, isRead: false }));
}

type InsteadOfAnswer = Extract<ProxyFault, { is: 'status' | 'drop' | 'hang' }>;

function replaceAnswer(response: ServerResponse, fault: InsteadOfAnswer): void {
  switch (fault.is) {
    case 'status': {
      const reply = errorReply(fault.status, fault.body);
      void sendReply(response, { ...reply, headers: { ...reply.headers, ...fault.headers } });
      return;
    }
    case 'drop':
      response.destroy();
      return;
    case 'hang':
      return;
    default:
      assertNever(fault);
  }
}

const OVERLOADED = JSON.stringify({
  error: { message: 'injected fault: overloaded', type: 'server_error', param: null, code: 'overloaded' },
});

function spoil(answer: IncomingMessage, fault: ProxyFault | undefined, signal: AbortSignal): AsyncIterable<Buffer> {
  if (fault?.is === 'trickle') return inDrops(answer, { bytes: fault.bytes ?? 16, everyMs: fault.everyMs, signal });
  if (fault?.is === 'reset') return firstBytes(answer, fault.afterBytes);
  const isEventStream = answer.headers['content-type']?.startsWith('text/event-stream');
  if (fault?.is !== 'stream-error' || !isEventStream) return answer;
  return brokenEvents(answer, fault.afterEvents ?? 1, fault.data ?? OVERLOADED);
}

/** Only once everything before is out: a reset sent earlier could overtake it. */
async function reset(response: ServerResponse): Promise<void> {
  response.flushHeaders();
  const { socket } = response;
  await new Promise((resolve) => socket?.write('', resolve));
  socket?.resetAndDestroy();
}

function readTarget(target: string): URL {
  if (URL.canParse(target) && /^https?:$/.test(new URL(target).protocol)) return new URL(target);
  throw new Error(`The proxy's target is ${JSON.stringify(target)}: give an address with http:// or https://.`);
}

function unreachable({ origin }: URL, error: unknown) {
  const why = error instanceof Error ? error.message : String(error);
  return { error: { message: `The proxy got no answer from ${origin}: ${why}`, type: 'bad_gateway' } };
}
