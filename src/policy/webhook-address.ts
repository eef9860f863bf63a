/** Where a webhook goes: an address, or the environment variable that holds it. */
export type WebhookAddress =
  | { readonly is: 'url'; readonly url: URL }
  | { readonly is: 'env'; readonly env: string }
  | { readonly is: 'unusable'; readonly why: string };

/**
 * Reads `https://…`, `http://…` on the own machine, or `env:NAME`. What is wrong is said without the address: with some
 * services, Slack among them, it is a secret.
 */
export function readWebhookAddress(address: unknown): WebhookAddress {
  if (typeof address !== 'string') return { is: 'unusable', why: 'it is not a text' };
  const env = /^env:(.*)$/s.exec(address)?.[1];
  if (env !== undefined) {
    if (/^[A-Za-z_]\w*$/.test(env)) return { is: 'env', env };
    return { is: 'unusable', why: 'what follows "env:" is not the name of an environment variable' };
  }
  return readUrl(address);
}

function readUrl(address: string): WebhookAddress {
  if (!URL.canParse(address)) return { is: 'unusable', why: 'it is not a URL' };
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return { is: 'unusable', why: 'it holds a user name or password' };
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return { is: 'url', url };
  return {
    is: 'unusable',
    why: url.protocol === 'http:' ? 'plain http leaves the own machine' : `nothing is sent by ${url.protocol}`,
  };
}

/** URL parsing has already written every form of an IPv4 address in its usual one. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
