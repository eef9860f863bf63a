import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Providers } from '../contracts/agent.ts';

/** What a provider's package is opened with. Absent: the package's own default. */
export interface Access {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
}

/** Settings of one provider, and a way to ask for more than its key. `need` throws when nobody says it. */
export interface Wanted {
  readonly optional: (name: string) => string | undefined;
  readonly need: (what: string, name: string, option: string) => string;
  readonly settings: Readonly<Record<string, string | undefined>>;
}

/** One way to open models by name. */
export interface ProviderRow {
  readonly package: string;
  /** Whose settings in `providers` it takes. */
  readonly settings: keyof Providers;
  /** Environment variable with the key. */
  readonly key: string;
  /** Without a key it may still be opened: servers of one's own, or other credentials. */
  readonly isKeyOptional?: true;
  readonly open: (model: string, access: Access, wanted: Wanted) => Promise<LanguageModelV4>;
}

/** Every provider that can be opened by name: `NAME/MODEL`. Their packages are optional peers, loaded only here. */
export const PROVIDERS: Readonly<Record<string, ProviderRow>> = {
  openai: {
    package: '@ai-sdk/openai',
    settings: 'openai',
    key: 'OPENAI_API_KEY',
    open: async (model, access) => (await import('@ai-sdk/openai')).createOpenAI(access).chat(model),
  },
  'openai-responses': {
    package: '@ai-sdk/openai',
    settings: 'openai',
    key: 'OPENAI_API_KEY',
    open: async (model, access) => (await import('@ai-sdk/openai')).createOpenAI(access).responses(model),
  },
  anthropic: {
    package: '@ai-sdk/anthropic',
    settings: 'anthropic',
    key: 'ANTHROPIC_API_KEY',
    open: async (model, access) => (await import('@ai-sdk/anthropic')).createAnthropic(access)(model),
  },
  google: {
    package: '@ai-sdk/google',
    settings: 'google',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    open: async (model, access) => (await import('@ai-sdk/google')).createGoogleGenerativeAI(access)(model),
  },
  openrouter: {
    package: '@openrouter/ai-sdk-provider',
    settings: 'openrouter',
    key: 'OPENROUTER_API_KEY',
    open: async (model, access) => {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
      return createOpenRouter({ ...access, compatibility: 'strict' }).chat(model, { usage: { include: true } });
    },
  },
  azure: {
    package: '@ai-sdk/azure',
    settings: 'azure',
    key: 'AZURE_API_KEY',
    open: async (model, access, { need, settings }) => {
      const { apiVersion } = settings;
      const address = access.baseURL ? {} : { resourceName: need('resource', 'AZURE_RESOURCE_NAME', 'resourceName') };
      const { createAzure } = await import('@ai-sdk/azure');
      return createAzure({ ...access, ...address, ...(apiVersion && { apiVersion }) }).chat(model);
    },
  },
  bedrock: {
    package: '@ai-sdk/amazon-bedrock',
    settings: 'bedrock',
    key: 'AWS_BEARER_TOKEN_BEDROCK',
    isKeyOptional: true,
    open: async (model, access, { need, optional, settings }) => {
      const region = settings['region'] ?? optional('AWS_REGION') ?? need('region', 'AWS_REGION', 'region');
      const credentials = access.apiKey ? {} : awsCredentials(need, optional);
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      return createAmazonBedrock({ ...access, ...credentials, region })(model);
    },
  },
  compatible: {
    package: '@ai-sdk/openai-compatible',
    settings: 'compatible',
    key: 'HOLDFAST_COMPATIBLE_KEY',
    isKeyOptional: true,
    open: async (model, { baseURL, ...access }, { need }) => {
      const address = baseURL ?? need('address', '', "baseURL: 'http://…/v1'");
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const options = { ...access, name: 'compatible', baseURL: address, includeUsage: true };
      return createOpenAICompatible(options).languageModel(model);
    },
  },
};

/** Without a bearer token: the usual pair. Other ways to get credentials want a model object. */
function awsCredentials(need: Wanted['need'], optional: Wanted['optional']) {
  const accessKeyId = need('key', 'AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID', '');
  return {
    accessKeyId,
    secretAccessKey: need('key', 'AWS_SECRET_ACCESS_KEY', ''),
    sessionToken: optional('AWS_SESSION_TOKEN'),
  };
}
