import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { z } from 'zod';
import { collectAnswer, hasResponseId, replyOf, type Reply } from '../../src/activities/collect-reply.ts';
import { readUsage } from '../../src/policy/read-usage.ts';
import { readCall } from '../../src/activities/read-call.ts';
import type { Providers } from '../../src/contracts/agent.ts';
import type { ModelFailure } from '../../src/contracts/failure.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { classifyModelError } from '../../src/policy/classify-model-error.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import type { AnswerFacts } from '../../src/policy/judge-answer.ts';
import { openModel } from '../../src/providers/open-model.ts';
import type { Finding, Fixture } from './fixture.ts';
import { openClient } from './open-client.ts';
import { openPeer } from './open-peer.ts';

/** Which model of ours a provider's cases are put to, and where its settings and its path are. */
const MODELS: Readonly<
  Record<string, { readonly model: string; readonly settings: keyof Providers; readonly path: string }>
> = {
  'openai-chat': { model: 'openai/gpt-4o', settings: 'openai', path: '/v1' },
  'openai-responses': { model: 'openai-responses/gpt-4o', settings: 'openai', path: '/v1' },
  anthropic: { model: 'anthropic/claude-sonnet-4-5', settings: 'anthropic', path: '/v1' },
  google: { model: 'google/gemini-3.5-flash', settings: 'google', path: '/v1beta' },
  openrouter: { model: 'openrouter/meta-llama/llama-3.3-70b-instruct', settings: 'openrouter', path: '/api/v1' },
  azure: { model: 'azure/gpt-4o', settings: 'azure', path: '/openai' },
  bedrock: { model: 'bedrock/anthropic.claude-sonnet-4-5-v1:0', settings: 'bedrock', path: '' },
  'openai-compatible': { model: 'compatible/any-model', settings: 'compatible', path: '/v1' },
};

export const isModelProvider = (provider: string): boolean => Object.hasOwn(MODELS, provider);

/** Loads the packages of some providers, so that no case's time goes into that. */
export async function loadPackages(providers: Iterable<string>): Promise<void> {
  for (const provider of providers) await openFor(provider, 'http://127.0.0.1', fetch);
}

/** Puts a case to the real package of its provider and to our classifier. */
export async function runModelCase(fixture: Fixture): Promise<Finding> {
  const peer = await openPeer(fixture);
  const client = openClient(fixture, peer);
  try {
    const model = await openFor(fixture.provider, peer.origin, client.fetch);
    return await ask(fixture, model);
  } finally {
    await client.close();
    await peer.close();
  }
}

async function openFor(provider: string, origin: string, fetchIt: typeof fetch): Promise<LanguageModelV4> {
  const row = MODELS[provider];
  if (!row) throw new Error(`The rig knows no provider "${provider}".`);
  const settings = { baseURL: `${origin}${row.path}`, apiKey: 'key-of-a-fixture' };
  const providers = { [row.settings]: row.settings === 'bedrock' ? { ...settings, region: 'us-east-1' } : settings };
  return openModel(row.model, { providers, secretOf: () => undefined, fetch: fetchIt });
}

async function ask(fixture: Fixture, model: LanguageModelV4): Promise<Finding> {
  const tools = (fixture.tools ?? []).map(toolOf);
  const { caller, attempt, stop } = signalsOf(fixture);
  const now = fixture.now === undefined ? Date.now() : Date.parse(fixture.now);
  const options: Parameters<LanguageModelV4['doStream']>[0] = {
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is the weather in Oslo?' }] }],
    abortSignal: AbortSignal.any([caller, attempt]),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputJsonSchema }) => ({
        type: 'function',
        name,
        description,
        inputSchema: inputJsonSchema,
      })),
    }),
  };
  const inOnePiece = fixture.call === 'generate';
  const isAsked = !caller.aborted;
  try {
    const facts = inOnePiece ? factsOf(await model.doGenerate(options)) : await streamFacts(model, options);
    return await findingOfReply(replyOf(facts), tools);
  } catch (error) {
    return findingOfFailure(classifyModelError(error, { now, caller, attempt, inOnePiece, isAsked }));
  } finally {
    stop();
  }
}

async function streamFacts(
  model: LanguageModelV4,
  options: Parameters<LanguageModelV4['doStream']>[0],
): Promise<AnswerFacts> {
  const { stream, response } = await model.doStream(options);
  return collectAnswer(stream, response?.headers);
}

/** An answer that came in one piece, as what a stream of it would have held. */
function factsOf({
  content,
  finishReason,
  usage,
  providerMetadata,
  response,
}: LanguageModelV4GenerateResult): AnswerFacts {
  return {
    streamed: false,
    begun: true,
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    calls: content.flatMap((part) =>
      part.type === 'tool-call' ? [{ toolCallId: part.toolCallId, tool: part.toolName, input: part.input }] : [],
    ),
    open: [],
    finish: finishReason,
    usage: readUsage(usage),
    isKept: hasResponseId(providerMetadata),
    headers: response?.headers ?? {},
    body: response?.body,
  };
}

function toolOf(name: string): Tool {
  const input = name === 'get_weather' ? z.strictObject({ city: z.string() }) : z.looseObject({});
  return defineTool({
    name,
    description: `Offered by the case: ${name}.`,
    input,
    readOnly: true,
    timeout: '1s',
    execute: async () => null,
  });
}

/** The run's wish to end the call and the attempt's own deadline, as the case wants them. */
function signalsOf({ client = {} }: Fixture) {
  const { attemptTimeoutMs, callerAbortMs, callerReason, callerTimeoutMs } = client;
  const wish = new AbortController();
  const reason = callerReason === undefined ? undefined : Object.assign(new Error('CANCELLED'), { name: callerReason });
  if (callerAbortMs === 0) wish.abort(reason);
  const timer = callerAbortMs ? setTimeout(() => wish.abort(reason), callerAbortMs) : undefined;
  const caller = callerTimeoutMs === undefined ? wish.signal : AbortSignal.timeout(callerTimeoutMs);
  const attempt = AbortSignal.timeout(attemptTimeoutMs ?? 20_000);
  return { caller, attempt, stop: () => clearTimeout(timer) };
}

async function findingOfReply({ calls, end }: Reply, tools: readonly Tool[]): Promise<Finding> {
  const read = await Promise.all(calls.map((call) => readCall(call, tools)));
  const unfit = read.find((call) => call.is === 'unfit');
  const runTools = end === 'tool-calls' && read.some((call) => call.is === 'fits');
  const whole = {
    retry: false,
    wait: { source: 'none' },
    overCap: false,
    resetStream: false,
    billed: 'yes',
    sent: 'yes',
    runTools,
  } as const;
  const isOurs = unfit && end !== 'unknown-finish';
  return isOurs ? { class: 'model-error', reason: unfit.reason, ...whole } : { class: 'ok', reason: end, ...whole };
}

function findingOfFailure(failure: ModelFailure): Finding {
  const { reason, retry, waitMs, waitFrom = '', resetsAt, overCap, resetStream, billed, sent } = failure;
  const asked =
    waitMs === undefined
      ? ({ source: 'backoff' } as const)
      : ({ source: 'server', ms: waitMs, from: waitFrom } as const);
  return {
    class: failure.class,
    reason,
    retry,
    wait: retry ? asked : { source: 'none' },
    ...(resetsAt !== undefined && { resetsAt }),
    overCap,
    runTools: false,
    resetStream,
    billed,
    sent,
  };
}
