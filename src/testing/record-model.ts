import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { Agent } from '../contracts/agent.ts';
import type { ModelMiddleware } from '../contracts/middleware.ts';
import { composeRecording, type Exchange, type RecordingAbout } from './compose-recording.ts';
import { promptToChat } from './prompt-to-chat.ts';
import type { RecordedTool, Recording } from './recording.ts';

/** Hears every whole reply, once it has come to its end. */
export type RecordingSink = (exchange: Exchange) => void;

export interface Recorder {
  readonly sink: RecordingSink;
  /** What was heard so far. @throws Error when that is nothing. */
  recording(): Recording;
}

export interface RecorderOptions extends Pick<RecordingAbout, 'redact'> {
  /** Whose run it is: the flags of its tools are kept with it. */
  readonly agent: Pick<Agent, 'name' | 'tools'>;
}

/** Keeps one run: give its sink to the model of a worker that plays only that one. */
export function createRecorder({ agent, redact }: RecorderOptions): Recorder {
  const heard: Exchange[] = [];
  const tools = agent.tools.map(
    ({ name, description, inputJsonSchema: inputSchema, effect, timeoutMs }): RecordedTool => {
      return { name, description, inputSchema, effect, timeoutMs };
    },
  );
  return {
    sink: (exchange) => void heard.push(exchange),
    recording: () => composeRecording(heard, { agent: agent.name, tools, ...(redact && { redact }) }),
  };
}

/** The model, and whoever hears it. It answers as before; a reply that breaks off is not heard. */
export function recordModel(model: LanguageModelV4, sink: RecordingSink): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options) {
      const hearing = beginHearing(model.modelId, options, sink);
      const result = await model.doGenerate(options);
      partsOf(result).forEach(hearing.part);
      hearing.end();
      return result;
    },
    async doStream(options) {
      const hearing = beginHearing(model.modelId, options, sink);
      const reply = await model.doStream(options);
      return { ...reply, stream: reply.stream.pipeThrough(hearing.tap()) };
    },
  };
}

/** The same as model middleware, for `use: []` of an agent whose model is given by name. */
export function recordModelCalls(sink: RecordingSink): ModelMiddleware {
  return (next) => async (request) => {
    const hearing = beginHearing(request.target.model, request.options, sink);
    const reply = await next(request);
    return { ...reply, stream: reply.stream.pipeThrough(hearing.tap()) };
  };
}

function beginHearing(model: string, { prompt, tools = [] }: LanguageModelV4CallOptions, sink: RecordingSink) {
  const askedAt = performance.now();
  const parts: Exchange['parts'][number][] = [];
  const part = (heard: LanguageModelV4StreamPart) => {
    parts.push({ afterMs: performance.now() - askedAt, part: heard });
  };
  const end = () => {
    const types = parts.map(({ part: { type } }) => type);
    if (!types.includes('finish') || types.includes('error')) return;
    const offered = tools.flatMap((tool) => (tool.type === 'function' ? [toRecordedTool(tool)] : []));
    sink({ model, messages: promptToChat(prompt), tools: offered, askedAt, endedAt: performance.now(), parts });
  };
  const tap = () =>
    new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      transform(heard, controller) {
        part(heard);
        controller.enqueue(heard);
      },
      flush: end,
    });
  return { part, end, tap };
}

type OfferedTool = Extract<NonNullable<LanguageModelV4CallOptions['tools']>[number], { type: 'function' }>;

// A model is not told of flags: the strictest, and a minute.
function toRecordedTool({ name, description = name, inputSchema }: OfferedTool): RecordedTool {
  return {
    name,
    description,
    inputSchema: inputSchema as RecordedTool['inputSchema'],
    effect: 'unflagged',
    timeoutMs: 60_000,
  };
}

function partsOf({
  content,
  finishReason,
  usage,
}: LanguageModelV4GenerateResult): readonly LanguageModelV4StreamPart[] {
  const said = content.flatMap((one, at): readonly LanguageModelV4StreamPart[] => {
    const id = String(at);
    if (one.type === 'tool-call') return [one];
    if (one.type !== 'text') return [];
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: one.text },
      { type: 'text-end', id },
    ];
  });
  return [...said, { type: 'finish', finishReason, usage }];
}
