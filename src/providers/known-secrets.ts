import type { Config } from '../contracts/agent.ts';
import { PROVIDERS } from './provider-table.ts';

/** The keys that a worker sends to model providers: a provider may say them back in an error, and nobody should read them there. */
export function knownSecrets(
  { providers = {} }: Pick<Config, 'providers'>,
  secretOf: (name: string) => string | undefined,
): readonly string[] {
  const configured = Object.values(providers).map((settings: { readonly apiKey?: string }) => settings.apiKey);
  const fromEnvironment = Object.values(PROVIDERS).map(({ key }) => secretOf(key));
  return [...new Set([...configured, ...fromEnvironment])].flatMap((secret) => (secret ? [secret] : []));
}
