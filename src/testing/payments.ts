import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { assertNever } from '../policy/assert-never.ts';
import { listen, type Handle, type LocalRequest, type LocalServer } from './local-server.ts';
import { parseJson } from './parse-json.ts';
import { openPaymentBook, type PaymentBook } from './payment-book.ts';
import { readModes, type PaymentMode } from './payment-mode.ts';
import { answer, refusal, toPublicRefund, type PaymentReply } from './payment-reply.ts';
import type { Arrival, Order } from './payment-rows.ts';
import { readPayments } from './read-payments.ts';
import { openRefundDesk, type RefundDesk } from './refund-desk.ts';

export interface PaymentsOptions {
  /** Path of the service's own SQLite database; made when missing, counted further when not. One service per file. */
  readonly dbFile: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** When a refund is committed, counted from its arrival. Default 0. */
  readonly landsAfterMs?: number;
  /** When it is answered, counted from its arrival. Default: as soon as it has landed. */
  readonly answersAfterMs?: number;
  /** What happens to new refund requests, in order. Default: they are answered. */
  readonly modes?: readonly PaymentMode[];
  /** Orders that `GET /orders/:id` knows. Refunds are taken for any order. */
  readonly seed?: readonly Order[];
}

/**
 * A payment service on 127.0.0.1 that keeps what it was asked (arrivals) apart from what it did (effects), each in its own
 * database, so that nobody's log is the evidence. Every request is on record before anything else happens.
 *
 * - `POST /refunds` `{ orderId, cents | amount, reason? }`, with or without `idempotency-key`. It does not check what was
 *   paid: without a key, each request acts. Keys follow Stripe's rules (`judgeKey`); they do not expire here.
 * - `GET /refunds?orderId=…` · `GET /orders/:id`
 * - for tests, never on record: `GET /stats` (counts, as `readPayments` has them) · `POST /modes` (a list that replaces the
 *   one there)
 *
 * What is committed survives a kill -9. A refund that has not landed yet is in memory and dies with the service, and its
 * key with it; so do the modes. @throws when the port is taken.
 */
export async function startPayments(options: PaymentsOptions): Promise<LocalServer> {
  const book = openPaymentBook(options.dbFile, options.seed ?? []);
  const closing = new AbortController();
  const { landsAfterMs = 0, answersAfterMs = 0, modes = [] } = options;
  const desk = openRefundDesk({ book, times: { landsAfterMs, answersAfterMs }, modes, closing: closing.signal });

  const handle: Handle = async (request, response) => {
    const control = answerControl(request, desk, options.dbFile);
    if (control) {
      send(response, control);
      return;
    }
    const arrival = toArrival(request);
    book.recordArrival(arrival);
    send(response, await route(request, arrival, desk, book));
  };

  const server = await listen(handle, options.port).catch((error: unknown) => {
    book.close();
    throw error;
  });
  return {
    url: server.url,
    close: async () => {
      closing.abort();
      await server.close();
      book.close();
    },
  };
}

function answerControl({ method, path, body }: LocalRequest, desk: RefundDesk, dbFile: string) {
  if (method === 'GET' && path === '/stats') {
    const { arrivals, lookUps, effects, cents } = readPayments(dbFile);
    return answer(200, { arrivals: arrivals.length, lookUps: lookUps.length, effects: effects.length, cents });
  }
  if (method !== 'POST' || path !== '/modes') return undefined;
  const modes = readModes(parseJson(body));
  if (!modes) return refusal(400, 'invalid_request_error', 'The body is a list of modes, see PaymentMode.');
  desk.setModes(modes);
  return answer(200, { modes });
}

async function route(
  request: LocalRequest,
  arrival: Arrival,
  desk: RefundDesk,
  book: PaymentBook,
): Promise<PaymentReply> {
  const { method, path, query } = request;
  if (method === 'POST' && path === '/refunds') return desk.take(arrival);
  if (method === 'GET' && path === '/refunds')
    return answer(200, { refunds: book.refundsOf(query.get('orderId') ?? '').map(toPublicRefund) });
  const orderId = /^\/orders\/([^/]+)$/.exec(path)?.[1];
  if (method === 'GET' && orderId) return showOrder(decodeURIComponent(orderId), book);
  return refusal(404, 'not_found', `No route for ${method} ${path}.`);
}

function showOrder(orderId: string, book: PaymentBook): PaymentReply {
  const order = book.order(orderId);
  if (!order) return refusal(404, 'not_found', `No order ${orderId}.`);
  const refunds = book.refundsOf(orderId);
  return answer(200, {
    ...order,
    amount: order.cents / 100,
    refundedCents: refunds.reduce((sum, { cents }) => sum + cents, 0),
  });
}

function toArrival({ method, path, headers, body }: LocalRequest): Arrival {
  const header = (name: string) => headers[name]?.toString() || null;
  return {
    at: Date.now(),
    method,
    path,
    key: header('idempotency-key'),
    attempt: header('holdfast-attempt'),
    bodyHash: createHash('sha256').update(body).digest('hex'),
    body,
  };
}

function send(response: ServerResponse, reply: PaymentReply): void {
  switch (reply.is) {
    case 'answer':
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      return void response.end(reply.body);
    case 'hang':
      return;
    case 'reset':
      return void response.socket?.resetAndDestroy();
    default:
      return assertNever(reply);
  }
}
