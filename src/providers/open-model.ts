import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Config } from '../contracts/agent.ts';
import { PROVIDERS, type Access, type ProviderRow, type Wanted } from './provider-table.ts';

/** What opening a model by name needs: the configuration's providers, keys from the environment, and what sends. */
export interface ModelSource {
  readonly providers: Config['providers'];
  readonly secretOf: (name: string) => string | undefined;
  /** Default: the platform's, which gives up after 300 s without an answer. */
  readonly fetch?: typeof fetch;
}

/**
 * Opens `provider/model`; the first slash ends the provider. The provider's package is loaded only now; its own retries and its
 * telemetry play no part, because only `doStream` is ever called. An AI SDK model object is used as it is.
 * @throws Error that says which provider, package, key or address is missing, and what to do. Workers open every model when they start.
 */
export async function openModel(model: string | LanguageModelV4, source: ModelSource): Promise<LanguageModelV4> {
  if (typeof model !== 'string') return checkedObject(model);
  const slash = model.indexOf('/');
  const row = PROVIDERS[slash > 0 ? model.slice(0, slash) : ''];
  const name = model.slice(slash + 1);
  if (!row || !Object.hasOwn(PROVIDERS, model.slice(0, slash))) throw unknownProvider(model, slash);
  if (name === '') throw new Error(`Cannot open model "${model}": it names no model. Write ${model}MODEL.`);
  const settings = (source.providers?.[row.settings] ?? {}) as Readonly<Record<string, string | undefined>>;
  const apiKey = settings['apiKey'] || source.secretOf(row.key);
  if (!apiKey && !row.isKeyOptional) {
    throw new Error(`Cannot open model "${model}": no key. Set the environment variable ${row.key}.`);
  }
  const { baseURL } = settings;
  if (baseURL !== undefined) checkAddress(model, row, baseURL);
  const access: Access = {
    ...(apiKey && { apiKey }),
    ...(baseURL && { baseURL }),
    ...(source.fetch && { fetch: source.fetch }),
  };
  return openRow(model, name, row, access, { settings, ...askers(model, row, settings, source.secretOf) });
}

async function openRow(
  model: string,
  name: string,
  row: ProviderRow,
  access: Access,
  wanted: Wanted,
): Promise<LanguageModelV4> {
  try {
    return await row.open(name, access, wanted);
  } catch (cause) {
    if (!isMissing(cause, row.package)) throw cause;
    throw new Error(`Cannot open model "${model}": its package is not installed. Run: npm install ${row.package}`, {
      cause,
    });
  }
}

/** Node's word for it names the package; a package that lacks one of its own is another matter. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return (code ?? '').includes('MODULE_NOT_FOUND') && message.includes(name);
}

function askers(
  model: string,
  row: ProviderRow,
  settings: Wanted['settings'],
  secretOf: ModelSource['secretOf'],
): Pick<Wanted, 'need' | 'optional'> {
  const optional = (name: string) => secretOf(name) || undefined;
  const need = (what: string, name: string, option: string) => {
    const value = settings[option] || name.split(' or ').map(optional).find(Boolean);
    if (value) return value;
    const inEnvironment = name === '' ? [] : [`set the environment variable ${name}`];
    const inConfig =
      option === ''
        ? []
        : [
            `add providers: { ${row.settings}: { ${option.includes(':') ? option : `${option}: '…'`} } } to defineConfig`,
          ];
    const ways = [...inEnvironment, ...inConfig].join(', or ');
    throw new Error(`Cannot open model "${model}": no ${what}. ${ways.charAt(0).toUpperCase()}${ways.slice(1)}.`);
  };
  return { optional, need };
}

function checkAddress(model: string, { settings }: ProviderRow, baseURL: string): void {
  if (URL.canParse(baseURL) && /^https?:/i.test(baseURL)) return;
  throw new Error(
    `Cannot open model "${model}": providers.${settings}.baseURL is ${JSON.stringify(baseURL)}. Write an address with http:// or https://.`,
  );
}

function checkedObject(model: LanguageModelV4): LanguageModelV4 {
  if (model.specificationVersion === 'v4' && typeof model.doStream === 'function') return model;
  const version = String((model as { specificationVersion?: unknown }).specificationVersion);
  throw new Error(
    `Cannot use the model object ${JSON.stringify((model as { modelId?: unknown }).modelId ?? 'without an id')}: it speaks version "${version}" of the AI SDK's specification, and "v4" is wanted. Update its package.`,
  );
}

function unknownProvider(model: string, slash: number): Error {
  const provider = slash > 0 ? `unknown provider "${model.slice(0, slash)}"` : 'it names no provider';
  const names = Object.keys(PROVIDERS).map((name) => `${name}/MODEL`);
  return new Error(
    `Cannot open model "${model}": ${provider}. Use ${names.join(', ')}, or pass an AI SDK model object.`,
  );
}
