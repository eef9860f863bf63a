import { Webhook } from 'standardwebhooks';
import type { Notifier } from '../activities/notifier.ts';
import type { Alert } from '../contracts/alert.ts';
import type { Notify } from '../contracts/agent.ts';
import { NOTIFY_DEFAULTS } from '../policy/alert-times.ts';
import { readErrorFacts } from '../policy/error-facts.ts';
import { toSlack } from '../policy/slack-message.ts';
import { readWebhookAddress } from '../policy/webhook-address.ts';

type SecretOf = (name: string) => string | undefined;

/** How long a receiver has to answer. */
const TIMEOUT_MS = 10_000;

// Standard Webhooks: between 24 and 64 bytes.
const MIN_SECRET_BYTES = 24;

/**
 * Tells people by a webhook: one POST an alert, signed by the Standard Webhooks convention where there is a secret. Only a
 * 2xx counts as delivered. Messages name the host alone: paths and queries may be secrets.
 * @throws when an address or a secret that is asked for is not in the environment, or cannot be used.
 */
export function openNotifier(
  notify: Notify | undefined,
  secretOf: SecretOf,
  timeoutMs = TIMEOUT_MS,
): Notifier | undefined {
  if (!notify) return undefined;
  const url = findUrl('notify.url', notify.url, secretOf);
  const escalateUrl = notify.escalateUrl ? findUrl('notify.escalateUrl', notify.escalateUrl, secretOf) : url;
  const signer = openSigner(notify, secretOf);
  return {
    async send(alert) {
      const body = JSON.stringify(notify.format === 'slack' ? toSlack(alert) : alert);
      const target = alert.type === 'holdfast.question.escalation' ? escalateUrl : url;
      await post(target, body, headersOf(alert, body, signer), timeoutMs);
    },
  };
}

function findUrl(what: string, address: string, secretOf: SecretOf): URL {
  const read = readWebhookAddress(address);
  if (read.is === 'url') return read.url;
  if (read.is === 'unusable') throw new Error(`${what} cannot be used: ${read.why}.`);
  const value = secretOf(read.env);
  if (value === undefined) throw new Error(`${what} is "env:${read.env}", and ${read.env} is not set. Set it.`);
  const found = readWebhookAddress(value);
  if (found.is === 'url') return found.url;
  const why = found.is === 'unusable' ? found.why : 'it names a variable again';
  throw new Error(`${what}: the address in ${read.env} cannot be used: ${why}. Put an https: URL there.`);
}

/** Undefined: unsigned. A secret that the configuration names must be there. */
function openSigner({ secretEnv }: Notify, secretOf: SecretOf): Webhook | undefined {
  const name = secretEnv ?? NOTIFY_DEFAULTS.secretEnv;
  const secret = secretOf(name);
  if (secret === undefined) {
    if (secretEnv === undefined) return undefined;
    throw new Error(`notify.secretEnv is "${name}", and ${name} is not set. Set it, or leave secretEnv out.`);
  }
  const base64 = secret.replace(/^whsec_/, '');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '') && bytes.length >= MIN_SECRET_BYTES) {
    return new Webhook(bytes.toString('base64'));
  }
  throw new Error(
    `The secret in ${name} is not "whsec_" and the base64 of at least ${MIN_SECRET_BYTES} bytes. Make one with: echo "whsec_$(openssl rand -base64 32)"`,
  );
}

function headersOf(alert: Alert, body: string, signer: Webhook | undefined): Record<string, string> {
  const now = new Date();
  return {
    'content-type': 'application/json',
    'user-agent': 'holdfast',
    'webhook-id': alert.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    ...(signer && { 'webhook-signature': signer.sign(alert.id, now, body) }),
  };
}

async function post(url: URL, body: string, headers: Record<string, string>, timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal }).catch(
    (error: unknown) => {
      // Without its cause: what the error holds of the address would be shown with it.
      throw new Error(`People were not told: ${url.host} ${describeLoss(error, timeoutMs)}.`);
    },
  );
  // Not read: an answer that never ends must not hold the attempt.
  await response.body?.cancel().catch(() => undefined);
  if (response.ok) return;
  const isRedirect = response.status >= 300 && response.status < 400;
  const advice = isRedirect ? ' Redirects are not followed: configure the address it leads to.' : '';
  throw new Error(`People were not told: ${url.host} answered ${response.status}.${advice}`);
}

function describeLoss(error: unknown, timeoutMs: number): string {
  const { names, codes } = readErrorFacts(error);
  if (names.includes('TimeoutError')) return `did not answer within ${timeoutMs / 1_000} s`;
  return `was not reached (${codes.at(-1) ?? 'no reason given'})`;
}
