import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerChat, refusal } from './answer-chat.ts';
import { listen, type Handle, type LocalServer } from './local-server.ts';
import type { ModelFault } from './model-fault.ts';
import { parseJson } from './parse-json.ts';
import type { Rule } from './rule.ts';
import { sendReply, withFault } from './wire-reply.ts';

export interface ModelServerOptions {
  readonly decide: Rule;
  /** Default 0: a free one. */
  readonly port?: number;
  /** How long the model thinks before each reply. Default 0. */
  readonly delayMs?: number;
  /** Between two events of a streamed reply. Default 0. */
  readonly pieceMs?: number;
  readonly faults?: readonly ModelFault[];
  /** Called once for each request, before it is judged or answered. */
  readonly onRequest?: (request: ModelRequest) => void;
}

/** A request as it arrived, refused ones included. */
export interface ModelRequest {
  /** 1 for the first. */
  readonly number: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined when it is not JSON. */
  readonly body: unknown;
}

export interface ModelServer extends LocalServer {
  /** The base URL for provider packages; ends in `/v1`. */
  readonly url: string;
  requests(): readonly ModelRequest[];
}

/**
 * A model behind the OpenAI chat protocol, streaming and not, on 127.0.0.1. It answers by a rule and is as strict as the
 * strictest provider: a bad transcript gets a 400 that names the part. @throws when the port is taken.
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const closing = new AbortController();

  const handle: Handle = async ({ method, path, headers, body }, response) => {
    if (method !== 'POST' || path !== '/v1/chat/completions') {
      await sendReply(response, refusal(404, { problem: `no route for ${method} ${path}`, param: 'url' }));
      return;
    }
    const request = { number: requests.length + 1, headers, body: parseJson(body) };
    requests.push(request);
    options.onRequest?.(request);
    const fault = options.faults?.find((candidate) => candidate.request === request.number);
    await sleep(fault?.delayMs ?? options.delayMs ?? 0, undefined, { signal: closing.signal });
    if (fault?.hang && fault.cutAfterBytes === undefined) return;
    const head = { id: `chatcmpl-${request.number}`, created: Math.floor(Date.now() / 1000) };
    await sendReply(response, withFault(answerChat(options.decide, body, head), fault), fault, options.pieceMs);
  };

  const server = await listen(handle, options.port);
  return {
    url: `${server.url}/v1`,
    requests: () => [...requests],
    close: () => {
      closing.abort();
      return server.close();
    },
  };
}
