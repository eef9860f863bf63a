import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Boundary } from './sweep-case.ts';

/** Stands between the workers and the services, so that a request or its answer can be held at an exact moment. */
export interface GateProxy {
  /** The address of a service as one case sees it. */
  urlFor(caseId: string, service: Service): string;
  /** Holds the first exchange of the case at a boundary on the service's side. Called before its run starts. */
  hold(caseId: string, boundary: ProxyBoundary, landsWithinMs: number): ProxyHold;
  close(): Promise<void>;
}

/** `keyless` is the payments service of those whose service knows no keys: every request is a new one to it. */
export type Service = 'payments' | 'keyless' | 'model';
export type ProxyBoundary = Extract<Boundary, 'b3' | 'b4' | 'b8' | 'b8x' | 'b9'>;

export interface ProxyHold {
  /** Resolves when an exchange waits at the boundary. */
  readonly reached: Promise<void>;
  /** Passes on what is held. For b8x: drops it. */
  release(): void;
  /** From now on nothing of the held exchange comes back to the caller, whatever is released. */
  silence(): void;
}

interface Held extends ProxyHold {
  readonly boundary: ProxyBoundary;
  readonly landsWithinMs: number;
  readonly released: Promise<void>;
  isSilent(): boolean;
  arrive(): void;
}

/** Before it the key as it was sent, after it what makes it new. The auditor knows the mark too. */
const KEY_MARK = '~';
/** How much of a streamed reply has gone through at b4. */
const HALF_A_REPLY_BYTES = 200;

export async function openGateProxy(servers: Readonly<Record<'payments' | 'model', string>>): Promise<GateProxy> {
  const holds = new Map<string, Held>();
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    passOn(incoming, outgoing).catch(() => {
      outgoing.destroy();
    });
  });

  async function passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const [, caseId = '', service = '', path = ''] =
      /^\/([^/]+)\/(payments|keyless|model)(.*)$/.exec(incoming.url ?? '') ?? [];
    const isModel = service === 'model';
    const held = takeHold(caseId, isModel);
    requests += 1;
    const key = incoming.headers['idempotency-key'];
    if (service === 'keyless' && key) incoming.headers['idempotency-key'] = `${String(key)}${KEY_MARK}${requests}`;
    if (held?.boundary === 'b3' || held?.boundary === 'b8' || held?.boundary === 'b8x') await stopAt(held);
    if (held && isDropped(held, incoming)) {
      if (!held.isSilent()) outgoing.destroy();
      return;
    }
    const reply = await ask(`${isModel ? servers.model : servers.payments}${path}`, incoming, body);
    if (held?.boundary === 'b9') await stopAt(held);
    if (held?.isSilent()) return;
    outgoing.writeHead(reply.status, reply.headers);
    if (held?.boundary === 'b4') {
      outgoing.write(reply.body.subarray(0, HALF_A_REPLY_BYTES));
      await stopAt(held);
    }
    outgoing.end(held?.boundary === 'b4' ? reply.body.subarray(HALF_A_REPLY_BYTES) : reply.body);
  }

  /** A hold is for the first exchange with its service. */
  function takeHold(caseId: string, byModel: boolean): Held | undefined {
    const held = holds.get(caseId);
    if (!held || isAtModel(held.boundary) !== byModel) return undefined;
    holds.delete(caseId);
    return held;
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlFor: (caseId, service) => `http://127.0.0.1:${port}/${caseId}/${service}`,
    hold: (caseId, boundary, landsWithinMs) => {
      const held = openHold(boundary, landsWithinMs);
      holds.set(caseId, held);
      return held;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const isAtModel = (boundary: ProxyBoundary): boolean => boundary === 'b3' || boundary === 'b4';

function openHold(boundary: ProxyBoundary, landsWithinMs: number): Held {
  const reached: PromiseWithResolvers<void> = Promise.withResolvers();
  const released: PromiseWithResolvers<void> = Promise.withResolvers();
  let silent = false;
  return {
    boundary,
    landsWithinMs,
    reached: reached.promise,
    released: released.promise,
    arrive: reached.resolve,
    release: released.resolve,
    silence: () => {
      silent = true;
    },
    isSilent: () => silent,
  };
}

/** What the tool's author promised holds here too: a request that was held too long no longer lands. */
function isDropped({ boundary, landsWithinMs }: Held, { headers }: IncomingMessage): boolean {
  if (boundary === 'b8x') return true;
  const deadline = Date.parse(String(headers['holdfast-deadline']));
  return boundary === 'b8' && Date.now() > deadline + landsWithinMs - SLACK_MS;
}

const SLACK_MS = 250;

async function stopAt(held: Held): Promise<void> {
  held.arrive();
  await held.released;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Passes the request on byte by byte, and reads the whole answer. */
async function ask(url: string, { method, headers }: IncomingMessage, body: Buffer): Promise<Reply> {
  const sent = request(url, { ...(method && { method }), headers: { ...headers, host: new URL(url).host } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode = 502, headers: got } = response;
  return { status: statusCode, headers: got, body: await buffer(response) };
}
