import { setTimeout as sleep } from 'node:timers/promises';
import { answerChat } from '../../src/testing/answer-chat.ts';
import { listen, type LocalServer } from '../../src/testing/local-server.ts';
import type { ModelFault } from '../../src/testing/model-fault.ts';
import { parseJson } from '../../src/testing/parse-json.ts';
import type { Rule } from '../../src/testing/rule.ts';
import { sendReply, withFault } from '../../src/testing/wire-reply.ts';

/** What goes wrong with the n-th request of one story; undefined: it is answered by the rule. */
export type Script = (request: number) => Trouble | undefined;

export interface Trouble extends Omit<ModelFault, 'request'> {
  /** The body, as it comes over the network. */
  readonly pieces?: readonly string[];
}

export interface Story {
  readonly script?: Script;
  /** Default: "done". */
  readonly decide?: Rule;
  /** Between two events of a streamed reply. Default 0. */
  readonly pieceMs?: number;
}

export interface Arrival {
  readonly at: number;
  readonly model: string;
  readonly text: string;
  readonly status: number;
}

export interface ModelPeer extends LocalServer {
  /** From now on a run with this input gets this story. */
  tell(input: string, story: Story): void;
  /** What arrived of the runs with this input. */
  arrivals(input: string): readonly Arrival[];
}

/**
 * A strict model server that plays a story of its own to each run: a run is known by its input. So many rows share a worker, and
 * each is counted where it arrives.
 */
export async function openModelPeer(): Promise<ModelPeer> {
  const stories = new Map<string, Story>();
  const arrived = new Map<string, Arrival[]>();
  const server = await listen(async ({ body: text }, response) => {
    const { model, messages } = parseJson(text) as {
      readonly model: string;
      readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    };
    const input = String(messages.find(({ role }) => role === 'user')?.content);
    const mine = arrived.get(input) ?? [];
    arrived.set(input, mine);
    const at = Date.now();
    const { script, decide = () => ({ text: 'done' }), pieceMs } = stories.get(input) ?? {};
    const found = script?.(mine.length + 1);
    const fault = found && { ...found, request: mine.length + 1 };
    const id = `chatcmpl-${mine.length + 1}`;
    const made = withFault(answerChat(decide, text, { id, created: Math.floor(at / 1_000) }), fault);
    const reply = { ...made, pieces: found?.pieces ?? made.pieces };
    mine.push({ at, model, text, status: reply.status });
    if (fault?.delayMs) await sleep(fault.delayMs);
    if (fault?.hang && fault.cutAfterBytes === undefined) return;
    await sendReply(response, reply, fault, pieceMs);
  });
  return {
    ...server,
    url: `${server.url}/v1`,
    tell: (input, story) => void stories.set(input, story),
    arrivals: (input) => arrived.get(input) ?? [],
  };
}

/** The first so many requests fail alike; then all is well. */
export const first =
  (requests: number, fault: Trouble): Script =>
  (request) =>
    request <= requests ? fault : undefined;

/** A reply whose stream is written out by hand: each event is a chunk, or whatever else comes as data. */
export function streamOf(...events: readonly unknown[]): Trouble {
  const lines = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: lines.join('') };
}

/** One chunk of a streamed reply. */
export const chunk = (delta: object, finish: string | null = null, usage?: object) => ({
  id: 'chatcmpl-hand',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(usage && { usage }),
});

/** A whole call in one chunk, with its arguments as they are. */
export const callChunk = (id: string, name: string, args: string, index = 0) =>
  chunk({ role: 'assistant', tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] });
