import { setTimeout as sleep } from 'node:timers/promises';
import { answerChat } from '../../src/testing/answer-chat.ts';
import { listen, type LocalServer } from '../../src/testing/local-server.ts';
import type { Rule } from '../../src/testing/rule.ts';
import { sendReply, withFault } from '../../src/testing/wire-reply.ts';

export interface OutageServerOptions {
  readonly decide: Rule;
  /** Mean time of an answer; each takes between half and one and a half of it. */
  readonly answerMs: number;
  readonly refusalMs: number;
  readonly dice: () => number;
}

export interface OutageServer extends LocalServer {
  /** When each request arrived, in order. */
  readonly arrivals: readonly number[];
  /** Requests that are being answered. */
  inFlight(): number;
  /** From now on every request gets a 503, those that are being answered at once. */
  goDown(): void;
  comeBack(): void;
}

/** A model over the wire that is down for a while. */
export async function startOutageServer(options: OutageServerOptions): Promise<OutageServer> {
  const arrivals: number[] = [];
  let down = new AbortController();
  let inFlight = 0;
  const server = await listen(async ({ body }, response) => {
    arrivals.push(Date.now());
    inFlight += 1;
    const isUp = await think(options, down.signal);
    inFlight -= 1;
    const fault = isUp ? undefined : ({ request: 1, status: 503 } as const);
    const head = { id: `chatcmpl-${arrivals.length}`, created: Math.floor(Date.now() / 1_000) };
    await sendReply(response, withFault(answerChat(options.decide, body, head), fault), fault);
  });
  return {
    ...server,
    url: `${server.url}/v1`,
    arrivals,
    inFlight: () => inFlight,
    goDown: () => down.abort(),
    comeBack: () => void (down = new AbortController()),
  };
}

/** Whether it was up until the answer was there. */
async function think({ answerMs, refusalMs, dice }: OutageServerOptions, down: AbortSignal): Promise<boolean> {
  if (!down.aborted) {
    const isThere = await sleep(answerMs * (0.5 + dice()), true, { signal: down }).catch(() => false);
    if (isThere) return true;
  }
  await sleep(refusalMs);
  return false;
}
