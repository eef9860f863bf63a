import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, test } from '@jest/globals';
import type { Providers } from '../../src/contracts/agent.ts';
import { openModel } from '../../src/providers/open-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

const KEYS: Record<string, string> = {
  OPENAI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  GOOGLE_GENERATIVE_AI_API_KEY: 'k',
  OPENROUTER_API_KEY: 'k',
  AZURE_API_KEY: 'k',
  AZURE_RESOURCE_NAME: 'desk',
  AWS_BEARER_TOKEN_BEDROCK: 'k',
  AWS_REGION: 'eu-north-1',
};

const open = (model: string | LanguageModelV4, env = KEYS, providers?: Providers) =>
  openModel(model, { providers, secretOf: (name) => env[name] });

describe('a model by name', () => {
  test.each([
    ['openai/gpt-4o', 'openai.chat', 'gpt-4o'],
    ['openai-responses/gpt-4o', 'openai.responses', 'gpt-4o'],
    ['anthropic/claude-sonnet-4-5', 'anthropic.messages', 'claude-sonnet-4-5'],
    ['google/gemini-3.5-flash', 'google.generative-ai', 'gemini-3.5-flash'],
    ['openrouter/meta-llama/llama-3.3-70b-instruct', 'openrouter', 'meta-llama/llama-3.3-70b-instruct'],
    ['azure/desk-gpt', 'azure.chat', 'desk-gpt'],
    ['bedrock/anthropic.claude-v1:0', 'amazon-bedrock', 'anthropic.claude-v1:0'],
  ])('%s: the first slash ends the provider', async (name, provider, modelId) => {
    expect(await open(name)).toMatchObject({ specificationVersion: 'v4', provider, modelId });
  });

  test('an object is used as it is; one of another version of the specification is refused', async () => {
    const model = scriptedModel(() => ({ text: '' }));
    expect(await open(model)).toBe(model);
    const old = { ...model, specificationVersion: 'v2', modelId: 'old' } as unknown as LanguageModelV4;
    await expect(open(old)).rejects.toThrow('"old": it speaks version "v2"');
  });

  test.each<[string, string, Record<string, string>, Providers | undefined, string]>([
    ['a key', 'openai/gpt-4o', {}, undefined, 'no key. Set the environment variable OPENAI_API_KEY.'],
    [
      'an empty key',
      'anthropic/m',
      { ANTHROPIC_API_KEY: '' },
      undefined,
      'Set the environment variable ANTHROPIC_API_KEY',
    ],
    [
      'a resource',
      'azure/m',
      { AZURE_API_KEY: 'k' },
      undefined,
      'no resource. Set the environment variable AZURE_RESOURCE_NAME, or add providers: { azure: { resourceName',
    ],
    [
      'a region',
      'bedrock/m',
      { AWS_BEARER_TOKEN_BEDROCK: 'k' },
      undefined,
      'no region. Set the environment variable AWS_REGION',
    ],
    [
      'credentials',
      'bedrock/m',
      { AWS_REGION: 'x' },
      undefined,
      'no key. Set the environment variable AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID',
    ],
    ['half of a pair', 'bedrock/m', { AWS_REGION: 'x', AWS_ACCESS_KEY_ID: 'a' }, undefined, 'AWS_SECRET_ACCESS_KEY'],
    [
      'an address',
      'compatible/m',
      {},
      undefined,
      "no address. Add providers: { compatible: { baseURL: 'http://…/v1' } } to defineConfig.",
    ],
    [
      'an address with a protocol',
      'compatible/m',
      {},
      { compatible: { baseURL: 'localhost:8000/v1' } },
      'baseURL is "localhost:8000/v1"',
    ],
    ['a provider we know', 'mistral/large', KEYS, undefined, 'unknown provider "mistral". Use openai/MODEL'],
    ['a provider', 'gpt-4o', KEYS, undefined, 'it names no provider'],
    ['a model', 'openai/', KEYS, undefined, 'it names no model'],
    ['a provider of its own, not of every object', 'constructor/m', KEYS, undefined, 'unknown provider "constructor"'],
  ])('without %s is an error that says what to do', async (_what, name, env, providers, message) => {
    await expect(open(name, env, providers)).rejects.toThrow(message);
  });

  test('settings beat the environment', async () => {
    const bodies: string[] = [];
    const send = async (target: unknown, init?: RequestInit) => {
      bodies.push(`${String(target)} ${new Headers(init?.headers).get('authorization') ?? ''}`);
      return new Response('{}', { status: 500 });
    };
    const providers = { openai: { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'mine' } };
    const model = await openModel('openai/m', { providers, secretOf: () => 'theirs', fetch: send });
    await expect(model.doStream({ prompt: [] })).rejects.toThrow();
    // One request: the provider's own retries play no part.
    expect(bodies).toEqual(['http://127.0.0.1:9/v1/chat/completions Bearer mine']);
  });
});
