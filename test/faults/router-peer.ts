import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProblem } from '../../src/testing/chat-message.ts';
import { composeReply, type ChatReply } from '../../src/testing/compose-reply.ts';
import { listen, sendJson, type LocalRequest, type LocalServer } from '../../src/testing/local-server.ts';
import { parseChatRequest } from '../../src/testing/parse-chat-request.ts';
import type { Rule } from '../../src/testing/rule.ts';
import { splitText } from '../../src/testing/split-text.ts';

/** What goes wrong with one request. Pieces of the answer that were sent are billed, whoever got them. */
export type RouterFault =
  /** The connection is dropped after so many pieces. */
  | { readonly cutAfter: number }
  /** Says nothing more after so many pieces, until the other side has gone. */
  | { readonly hangAfter: number }
  /** Refused, and on no bill. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Whole. It says what it used in the end; or nowhere; or in every piece how much it is so far. */
  | { readonly usage: 'last' | 'none' | 'cumulative' };

export interface RouterStory {
  /** Of the n-th request of the run, from 1. */
  readonly script?: (request: number) => RouterFault | undefined;
  /** Default: "done". */
  readonly decide?: Rule;
  /** Milliseconds between two pieces. Default 0. */
  readonly paceMs?: number;
}

/** One request as the peer bills it. */
export interface BilledRequest {
  readonly id: string;
  readonly input: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly micros: number;
}

export interface RouterPeer extends LocalServer {
  /** From now on runs with this input get this story. */
  tell(input: string, story: RouterStory): void;
  /** Requests that have come of the runs with this input, refused ones included. */
  arrivals(input: string): number;
  /** The peer's own bill: of the runs with this input, or of all. */
  bill(input?: string): readonly BilledRequest[];
  /** How often the peer was asked what a reply cost. */
  asked(id: string): number;
}

/** Micro-dollars a token: 3 and 15 dollars a million. */
export const ROUTER_PRICE = Object.freeze({ input: 3, output: 15 });

export interface RouterPeerOptions {
  /** So often a reply's row is asked for in vain. Default 2; Infinity: it is never there. */
  readonly notYet?: number;
  /** No row is there before this says so. */
  readonly isThere?: () => boolean;
}

/**
 * OpenRouter with a bill of its own: it counts the tokens of every request by itself, 3 bytes of a request and one piece of an answer
 * each, also of those that break off, and says afterwards what a reply cost, with 404 at first. A run is known by its input.
 */
export async function openRouterPeer({
  notYet = 2,
  isThere = () => true,
}: RouterPeerOptions = {}): Promise<RouterPeer> {
  const stories = new Map<string, RouterStory>();
  const arrived = new Map<string, number>();
  const billed = new Map<string, BilledRequest>();
  const asked = new Map<string, number>();

  const tellCost = ({ query }: LocalRequest, response: ServerResponse) => {
    const id = query.get('id') ?? '';
    const times = (asked.get(id) ?? 0) + 1;
    asked.set(id, times);
    const row = times > notYet && isThere() ? billed.get(id) : undefined;
    if (row) sendJson(response, 200, { data: rowOf(row) });
    else sendJson(response, 404, { error: { code: 404, message: `Generation ${id} not found` } });
  };

  const answer = async ({ body }: LocalRequest, response: ServerResponse) => {
    const request = parseChatRequest(body);
    if (isProblem(request)) throw new Error(`${request.param}: ${request.problem}`);
    const { messages, tools, model } = request;
    const input = String(messages.find(({ role }) => role === 'user')?.content);
    const number = (arrived.get(input) ?? 0) + 1;
    arrived.set(input, number);
    const { script, decide = () => ({ text: 'done' }), paceMs = 0 } = stories.get(input) ?? {};
    const fault = script?.(number);
    if (fault && 'status' in fault) {
      const error = { code: fault.status, message: 'injected', type: 'rate_limit_error' };
      sendJson(response, fault.status, { error }, { ...fault.headers });
      return;
    }
    const id = `gen-${input}-${number}`;
    const inputTokens = Math.ceil(Buffer.byteLength(JSON.stringify(messages)) / 3);
    const charge = (outputTokens: number) => {
      const micros = inputTokens * ROUTER_PRICE.input + outputTokens * ROUTER_PRICE.output;
      billed.set(id, { id, input, inputTokens, outputTokens, micros });
      return {
        prompt_tokens: inputTokens,
        completion_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
        cost: micros / 1e6,
      };
    };
    await stream(response, { id, model, fault, paceMs, charge, reply: composeReply(decide, messages, tools) });
  };

  const server = await listen(async (request, response) => {
    if (request.method === 'GET') tellCost(request, response);
    else await answer(request, response);
  });
  return {
    ...server,
    tell: (input, story) => void stories.set(input, story),
    arrivals: (input) => arrived.get(input) ?? 0,
    bill: (input) => [...billed.values()].filter((one) => input === undefined || one.input === input),
    asked: (id) => asked.get(id) ?? 0,
  };
}

interface Streaming {
  readonly id: string;
  readonly model: string;
  readonly fault: RouterFault | undefined;
  readonly paceMs: number;
  readonly reply: ChatReply;
  /** Puts it on the bill with so many pieces, and says what a provider says of it. */
  readonly charge: (pieces: number) => object;
}

async function stream(
  response: ServerResponse,
  { id, model, fault: given, paceMs, reply, charge }: Streaming,
): Promise<void> {
  const fault: RouterFault = given ?? { usage: 'last' };
  const chunk = (delta: object, finish: string | null = null, usage?: object) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const event = {
      id,
      object: 'chat.completion.chunk',
      created: 1,
      model,
      provider: 'P',
      choices,
      ...(usage && { usage }),
    };
    return `data: ${JSON.stringify(event)}\n\n`;
  };
  const write = (text: string) => new Promise<void>((resolve) => void response.write(text, () => resolve()));
  const reaches = 'cutAfter' in fault ? fault.cutAfter : 'hangAfter' in fault ? fault.hangAfter : Infinity;
  charge(0);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-generation-id': id });
  response.flushHeaders();
  let sent = 0;
  for (const delta of deltasOf(reply)) {
    if (sent >= reaches || response.destroyed) break;
    const usage = charge(++sent);
    await write(chunk(delta, null, 'usage' in fault && fault.usage === 'cumulative' ? usage : undefined));
    if (paceMs > 0) await sleep(paceMs);
  }
  if ('hangAfter' in fault) return;
  if ('cutAfter' in fault) {
    response.destroy();
    return;
  }
  const usage = 'usage' in fault && fault.usage === 'none' ? undefined : charge(sent);
  response.end(`${chunk({ content: '' }, reply.finish, usage)}data: [DONE]\n\n`);
}

/** Four characters a piece, which is a token. */
const deltasOf = ({ text, calls }: ChatReply): readonly object[] => [
  ...splitText(text, 4).map((content) => ({ role: 'assistant', content })),
  ...calls.flatMap(({ id, tool, arguments: input }, index) => [
    { role: 'assistant', tool_calls: [{ index, id, type: 'function', function: { name: tool, arguments: '' } }] },
    ...splitText(input, 4).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]),
];

const rowOf = ({ id, micros, inputTokens, outputTokens }: BilledRequest) => ({
  id,
  ...{ total_cost: micros / 1e6, usage: micros / 1e6, upstream_inference_cost: 0, is_byok: false, streamed: true },
  ...{ native_tokens_prompt: inputTokens, native_tokens_completion: outputTokens, native_tokens_cached: 0 },
});
