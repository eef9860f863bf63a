import { isProblem, type ChatRequest, type Problem } from './chat-message.ts';
import { toCompletion, toEvents, type ReplyHead } from './chat-wire.ts';
import { checkTranscript } from './check-transcript.ts';
import { composeReply } from './compose-reply.ts';
import { parseChatRequest } from './parse-chat-request.ts';
import type { Rule } from './rule.ts';
import { jsonReply, type WireReply } from './wire-reply.ts';

/** Answers the body of one `POST /v1/chat/completions`: by the rule, or with a 400 that names what is wrong with it. */
export function answerChat(decide: Rule, body: string, head: Omit<ReplyHead, 'model'>): WireReply {
  const request = parseChatRequest(body);
  if (isProblem(request)) return refusal(400, request);
  const problem = checkTranscript(request.messages);
  return problem ? refusal(400, problem) : dress(decide, request, { ...head, model: request.model });
}

/** An error body as OpenAI words it. */
export function refusal(status: number, { problem, param }: Problem): WireReply {
  const type = 'invalid_request_error';
  return jsonReply(status, { error: { message: `${param}: ${problem}`, type, param, code: null } });
}

function dress(decide: Rule, request: ChatRequest, head: ReplyHead): WireReply {
  const reply = composeReply(decide, request.messages, request.tools);
  if (!request.stream) return jsonReply(200, toCompletion(reply, head));
  const headers = { 'content-type': 'text/event-stream' };
  return { status: 200, headers, pieces: toEvents(reply, head, request.includeUsage) };
}
