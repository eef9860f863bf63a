import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { makeCertificate } from './certificates.ts';
import type { Fixture, FixtureFault, FixtureResponse } from './fixture.ts';
import { createTlsRelay } from './tls-relay.ts';
import { writeResponse } from './write-response.ts';

/** A server on this machine that does what a case says. */
export interface Peer {
  readonly origin: string;
  /** To be trusted by the client. */
  readonly ca?: string;
  close(): Promise<void>;
}

/** Opens the peer of a case on a free port of 127.0.0.1. */
export async function openPeer({ response, responses, fault }: Fixture): Promise<Peer> {
  const answers = responses ?? [response ?? {}];
  if (!fault) return plain(createHttp(inTurn(answers)));
  const first = answers[0] ?? {};
  switch (fault.kind) {
    case 'connection-refused':
      return refusing();
    case 'reset-before-headers':
      return plain(createHttp((request) => onceRead(request, () => request.socket.resetAndDestroy())));
    case 'close-before-headers':
      return plain(createHttp((request) => onceRead(request, () => request.socket.destroy())));
    case 'body-timeout':
      return plain(createHttp(inTurn([{ ...first, end: 'hang' }])));
    case 'raw-bytes':
      return plain(rawBytes(fault.bytes ?? ''));
    case 'tls-plain-http':
      return secure(createHttp(inTurn(answers)), undefined);
    case 'tls-handshake-reset':
      return secure(
        createTcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
        undefined,
      );
    case 'tls-cert':
    case 'tls-bad-record':
    case 'tls-bad-record-upstream':
      return openTls(answers, fault);
    case 'dns':
    case 'connect-timeout':
      return named(createHttp(inTurn(answers)));
    case 'connect-error':
    case 'headers-timeout':
    case 'client-abort':
      return plain(createHttp(inTurn(answers)));
    default:
      throw new Error(`The rig knows no fault "${fault.kind}".`);
  }
}

/** Answers one request after the other; the last answer repeats. */
export function inTurn(answers: readonly FixtureResponse[]): RequestListener {
  let count = 0;
  return (request, response) => {
    const answer = answers[Math.min(count, answers.length - 1)] ?? {};
    count += 1;
    onceRead(request, () => void writeResponse(response, answer));
  };
}

function onceRead(request: Parameters<RequestListener>[0], then: () => void): void {
  request.resume().once('end', then);
}

function rawBytes(bytes: string): Server {
  return createTcp((socket) => socket.once('data', () => socket.end(bytes)));
}

async function openTls(answers: readonly FixtureResponse[], fault: FixtureFault): Promise<Peer> {
  const certificate = await makeCertificate(fault.cert ?? 'good');
  const ca = fault.trust ? certificate.cert : undefined;
  const server = createHttps(certificate, inTurn(answers));
  if (fault.kind === 'tls-cert') return secure(server, ca);
  const behind = await listen(server);
  const of = fault.kind === 'tls-bad-record' ? 'server' : 'client';
  const relay = await secure(createTlsRelay(behind.port, { of, afterBytes: fault.afterBytes ?? 0 }), ca);
  return {
    ...relay,
    close: async () => {
      await relay.close();
      await behind.close();
    },
  };
}

/** A port at which nobody listens any more. */
async function refusing(): Promise<Peer> {
  const { port, close } = await listen(createTcp());
  await close();
  return { origin: `http://127.0.0.1:${port}`, close: async () => {} };
}

async function plain(server: Server): Promise<Peer> {
  const { port, close } = await listen(server);
  return { origin: `http://127.0.0.1:${port}`, close };
}

/** By a name, so that it must be resolved. */
async function named(server: Server): Promise<Peer> {
  const { port, close } = await listen(server);
  return { origin: `http://localhost:${port}`, close };
}

async function secure(server: Server, ca: string | undefined): Promise<Peer> {
  const { port, close } = await listen(server);
  return { origin: `https://localhost:${port}`, ...(ca !== undefined && { ca }), close };
}

async function listen(server: Server): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
  });
  // A handshake that fails is the case, not the rig's trouble.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, close };
}
