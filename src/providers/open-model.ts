import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { CompatibleProvider, Config } from '../contracts/agent.ts';

/** What opening a model by name needs: the configuration's providers, and keys from the environment. */
export interface ModelSource {
  readonly providers: Config['providers'];
  readonly secretOf: (name: string) => string | undefined;
}

/**
 * Opens `provider/model`. The provider's package is loaded only now; its own retries play no part, because only `doStream`
 * is ever called. An AI SDK model object is used as it is.
 * @throws Error that says which provider, package or address is missing, and what to do.
 */
export async function openModel(model: string | LanguageModelV4, source: ModelSource): Promise<LanguageModelV4> {
  if (typeof model !== 'string') return model;
  const slash = model.indexOf('/');
  const provider = model.slice(0, slash);
  const name = model.slice(slash + 1);
  if (provider === 'compatible') return openCompatible(name, source);
  throw new Error(
    `Cannot open model "${model}": unknown provider "${provider}". Use compatible/MODEL with providers: { compatible: { baseURL } }, or pass an AI SDK model object.`,
  );
}

async function openCompatible(name: string, { providers, secretOf }: ModelSource): Promise<LanguageModelV4> {
  const { baseURL, apiKey } = compatibleOf(name, providers?.compatible);
  const { createOpenAICompatible } = await load(name);
  const key = apiKey ?? secretOf('HOLDFAST_COMPATIBLE_KEY');
  const provider = createOpenAICompatible({
    name: 'compatible',
    baseURL,
    includeUsage: true,
    ...(key && { apiKey: key }),
  });
  return provider.languageModel(name);
}

function compatibleOf(name: string, provider: CompatibleProvider | undefined): CompatibleProvider {
  if (provider) return provider;
  throw new Error(
    `Cannot open model "compatible/${name}": no address. Add providers: { compatible: { baseURL: 'http://…/v1' } } to defineConfig.`,
  );
}

async function load(name: string) {
  try {
    return await import('@ai-sdk/openai-compatible');
  } catch (cause) {
    throw new Error(
      `Cannot open model "compatible/${name}": its package is not installed. Run: npm install @ai-sdk/openai-compatible`,
      { cause },
    );
  }
}
