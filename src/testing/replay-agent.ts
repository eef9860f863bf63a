import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent, AgentDefinition } from '../contracts/agent.ts';
import type { Json } from '../contracts/json.ts';
import { ToolRefused, type Schema, type Tool } from '../contracts/tool.ts';
import { defineAgent } from '../policy/define-agent.ts';
import { defineTool } from '../policy/define-tool.ts';
import { argumentsDigest } from './conversation-digest.ts';
import { NotRecorded } from './find-reply.ts';
import { isRecord } from './parse-json.ts';
import type { RecordedTool, RecordedToolReply, Recording } from './recording.ts';
import type { ReplayOptions } from './replay-model.ts';

/**
 * The recorded agent: its tools, with their flags, answer what they answered then, after as long; nothing else is done.
 * @throws Error when the recording has a call that did not end with an answer of its tool: only `ok` and `failed` can be replayed.
 */
export function replayAgent(
  recording: Recording,
  model: AgentDefinition['model'],
  { speed = 1 }: ReplayOptions = {},
): Agent {
  recording.toolReplies.forEach(checkReplayable);
  return defineAgent({
    name: recording.agent,
    // Recordings hold no instructions, and a replayed model needs none.
    instructions: '',
    model,
    tools: recording.tools.map((tool) => replayTool(tool, recording.toolReplies, speed)),
  });
}

function replayTool(tool: RecordedTool, replies: readonly RecordedToolReply[], speed: number): Tool {
  const { name, description, effect, timeoutMs } = tool;
  const asked = new Map<string, Set<string>>();
  return defineTool({
    name,
    description,
    input: anyInput(tool.inputSchema),
    timeout: timeoutMs,
    ...(effect === 'read-only' && { readOnly: true }),
    ...(effect === 'idempotent' && { idempotent: true as const }),
    ...(effect === 'by-key' && { idempotent: 'by-key' as const }),
    execute: async (input, { callId, signal }) => {
      const key = argumentsDigest(JSON.stringify(input));
      const calls = asked.get(key) ?? new Set();
      asked.set(key, calls.add(callId));
      const known = replies.filter((reply) => reply.tool === name && reply.arguments === key);
      // Equal calls are told apart by their order; another attempt is the same call.
      const recorded = known[[...calls].indexOf(callId)] ?? known.at(-1);
      if (!recorded) throw new NotRecorded(`The recording has no call of ${name} with these arguments.`);
      await sleep(recorded.tookMs / speed, undefined, { signal });
      return answerOf(recorded.reply);
    },
  });
}

/** What the tool itself gave, out of what the model was told. */
function answerOf(reply: Json): Json {
  if (!isRecord(reply) || typeof reply['status'] !== 'string') return reply;
  if (reply['status'] === 'ok') return reply['data'] ?? null;
  throw new ToolRefused(typeof reply['message'] === 'string' ? reply['message'] : 'The tool said no.');
}

function checkReplayable({ tool, reply }: RecordedToolReply): void {
  const status = isRecord(reply) ? reply['status'] : undefined;
  if (status !== 'blocked' && status !== 'pending' && status !== 'unavailable') return;
  throw new Error(
    `Cannot replay the recording: a call of ${tool} was answered "${status}", which came from the run and not from its tool. Record a run whose calls all end.`,
  );
}

/** The model's arguments are taken as they are: they were checked when they were recorded. */
const anyInput = (inputSchema: RecordedTool['inputSchema']): Schema => ({
  '~standard': {
    version: 1,
    vendor: 'holdfast-recording',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ ...inputSchema }), output: () => ({ ...inputSchema }) },
  },
});
