import { isProblem } from './chat-message.ts';
import { refusal } from './answer-chat.ts';
import { toCompletion, type ReplyHead } from './chat-wire.ts';
import { checkTranscript } from './check-transcript.ts';
import { findReply, NotRecorded } from './find-reply.ts';
import { joinParts } from './join-parts.ts';
import { listen, type Handle, type LocalRequest, type LocalServer } from './local-server.ts';
import { parseChatRequest } from './parse-chat-request.ts';
import { finishWord, partsToEvents, type TimedEvent } from './parts-to-events.ts';
import type { RecordedPart, Recording } from './recording.ts';
import { inTime, type ReplayOptions } from './replay-model.ts';
import { jsonReply, sendReply, type WireReply } from './wire-reply.ts';

export interface ReplayServerOptions extends ReplayOptions {
  readonly recording: Recording;
  /** Default 0: a free one. */
  readonly port?: number;
}

/**
 * A recording behind the OpenAI chat protocol on 127.0.0.1; `url` ends in `/v1`. A conversation that was not recorded gets a
 * 400 that says where it has left the recording. @throws when the port is taken.
 */
export async function startReplayServer({ recording, speed = 1, port }: ReplayServerOptions): Promise<LocalServer> {
  const closing = new AbortController();
  let replies = 0;

  const handle: Handle = async (request, response) => {
    const answer = answerRequest(request, recording, () => `replay-${++replies}`);
    if (!('events' in answer)) {
      await sendReply(response, answer);
      return;
    }
    for await (const { event } of inTime(answer.events, { speed, signal: closing.signal })) {
      if (response.destroyed) return;
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event);
    }
    response.end();
  };

  const server = await listen(handle, port);
  return {
    url: `${server.url}/v1`,
    close: () => {
      closing.abort();
      return server.close();
    },
  };
}

/** A reply at once, or the events of one that is streamed. */
function answerRequest(
  { method, path, body }: LocalRequest,
  recording: Recording,
  nextId: () => string,
): WireReply | { readonly events: readonly TimedEvent[] } {
  if (method !== 'POST' || path !== '/v1/chat/completions') {
    return refusal(404, { problem: `no route for ${method} ${path}`, param: 'url' });
  }
  const request = parseChatRequest(body);
  if (isProblem(request)) return refusal(400, request);
  const problem = checkTranscript(request.messages);
  if (problem) return refusal(400, problem);
  const parts = partsFor(recording, request.messages);
  if ('problem' in parts) return refusal(400, parts);
  const head: ReplyHead = { id: nextId(), created: Math.floor(Date.now() / 1_000), model: recording.model };
  if (!request.stream) return jsonReply(200, toCompletion(toChatReply(parts), head));
  return { events: partsToEvents(parts, head, request.includeUsage) };
}

function partsFor(recording: Recording, messages: Parameters<typeof findReply>[1]) {
  try {
    return findReply(recording, messages).parts;
  } catch (error) {
    if (error instanceof NotRecorded) return { problem: error.message, param: 'messages' };
    throw error;
  }
}

function toChatReply(parts: readonly RecordedPart[]) {
  const { text, calls, finish } = joinParts(parts);
  return {
    text,
    calls: calls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, tool: toolName, arguments: input })),
    finish: finishWord(finish),
    inputTokens: finish.usage.inputTokens.total ?? 0,
    outputTokens: finish.usage.outputTokens.total ?? 0,
  };
}
