import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFrame } from './event-frames.ts';
import type { FixtureResponse, SseEvent } from './fixture.ts';

/** Long enough for the client to have read what came before a fault; all of it is on this machine. */
const READ_MS = 60;
const PART_MS = 10;

/** Writes an answer as its case describes it, faults of the connection included. */
export async function writeResponse(response: ServerResponse, answer: FixtureResponse): Promise<void> {
  const { status = 200, delayMs, hang, end = 'clean' } = answer;
  if (hang) return;
  if (delayMs) await sleep(delayMs, undefined, { ref: false });
  if (response.destroyed) return;
  const socket = response.socket;
  if (end === 'reset-now') return void socket?.resetAndDestroy();
  response.sendDate = false;
  response.writeHead(status, headersOf(answer));
  response.flushHeaders();
  if (answer.sse?.length || answer.awsEvents || answer.parts) await writePieces(response, piecesOf(answer));
  else await writeAll(response, bodyOf(answer), end === 'clean');
  if (end !== 'clean') await sleep(READ_MS);
  finish(response, socket, end);
}

function headersOf({ headers = {}, sse, awsEvents, body }: FixtureResponse): Record<string, string> {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (names.includes('content-type')) return { ...headers };
  const type = sse ? 'text/event-stream' : awsEvents ? 'application/vnd.amazon.eventstream' : undefined;
  const json = typeof body === 'object' && body !== null ? 'application/json' : undefined;
  const known = type ?? json;
  return known === undefined ? { ...headers } : { 'content-type': known, ...headers };
}

function bodyOf({ body }: FixtureResponse): string {
  if (body === undefined || body === null) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function piecesOf({ sse, awsEvents, parts }: FixtureResponse): readonly (string | Buffer)[] {
  return parts ?? sse?.map(encodeEvent) ?? awsEvents?.map(encodeFrame) ?? [];
}

function encodeEvent({ event, data, comment, raw }: SseEvent): string {
  if (raw !== undefined) return raw;
  if (comment !== undefined) return `: ${comment}\n\n`;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

async function writePieces(response: ServerResponse, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return;
    await write(response, piece);
    await sleep(pieces.length > 20 ? 1 : PART_MS);
  }
}

async function writeAll(response: ServerResponse, text: string, isWhole: boolean): Promise<void> {
  if (text !== '' && !(isWhole && response.destroyed)) await write(response, text);
}

const write = (response: ServerResponse, piece: string | Buffer) =>
  new Promise<void>((resolve) => void response.write(piece, () => resolve()));

function finish(response: ServerResponse, socket: Socket | null, end: NonNullable<FixtureResponse['end']>): void {
  switch (end) {
    case 'clean':
      response.end();
      return;
    case 'close':
      socket?.destroy();
      return;
    case 'reset':
    case 'reset-now':
      socket?.resetAndDestroy();
      return;
    case 'bad-chunk':
      socket?.end('ZZZ\r\n');
      return;
    case 'hang':
      return;
  }
}
