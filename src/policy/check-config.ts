import type { HoldfastConfig, Notify, Providers } from '../contracts/agent.ts';
import type { Duration } from '../contracts/duration.ts';
import type { Quorum } from '../contracts/approval.ts';
import { alertTimesOf, NOTIFY_DEFAULTS } from './alert-times.ts';
import { checkOptions } from './check-options.ts';
import { durationMs } from './duration-ms.ts';
import { choiceOf, modelsOf, targetOf } from './model-label.ts';
import { readWebhookAddress } from './webhook-address.ts';

// A new option does not compile until it is named here.
const CONFIG_OPTIONS: Readonly<Record<keyof HoldfastConfig, true>> = {
  agents: true,
  taskQueue: true,
  ledger: true,
  transcripts: true,
  events: true,
  deciders: true,
  approvals: true,
  notify: true,
  providers: true,
  rateLimits: true,
  breaker: true,
  prices: true,
};
const NOTIFY_OPTIONS: Readonly<Record<keyof Notify, true>> = {
  url: true,
  escalateUrl: true,
  format: true,
  secretEnv: true,
  remindAfter: true,
  escalateAfter: true,
  webUi: true,
};

const SETTINGS = ['baseURL', 'apiKey'];
const PROVIDER_OPTIONS: Readonly<Record<keyof Providers, readonly string[]>> = {
  openai: SETTINGS,
  anthropic: SETTINGS,
  google: SETTINGS,
  openrouter: SETTINGS,
  azure: [...SETTINGS, 'resourceName', 'apiVersion'],
  bedrock: [...SETTINGS, 'region'],
  compatible: SETTINGS,
};

/** Refuses names that no option has. @throws with the options there are. */
export function checkConfigOptions(config: HoldfastConfig): void {
  checkOptions('The configuration', config, Object.keys(CONFIG_OPTIONS));
  const { providers } = config;
  if (providers === undefined) return;
  checkOptions('providers', providers, Object.keys(PROVIDER_OPTIONS));
  for (const [name, options] of Object.entries(PROVIDER_OPTIONS)) {
    const settings = providers[name as keyof Providers];
    if (settings !== undefined) checkOptions(`providers.${name}`, settings, options);
  }
}

/** @throws with what to write instead. */
export function checkBreaker({ breaker }: Pick<HoldfastConfig, 'breaker'>): void {
  if (breaker === undefined) return;
  checkOptions('breaker', breaker, ['failures', 'pause', 'spread']);
  const { failures = 1, pause, spread } = breaker;
  if (!Number.isInteger(failures) || failures < 1) {
    throw new Error(`breaker.failures is ${shown(failures)}. Write how many failures in a row, at least 1.`);
  }
  if (pause !== undefined) durationMs(pause, 'breaker.pause');
  if (spread !== undefined) durationMs(spread, 'breaker.spread');
}

/** @throws with what to write instead. */
export function checkRateLimits({ rateLimits = {}, agents }: HoldfastConfig): void {
  const tools = new Set(agents.flatMap((agent) => agent.tools.map(({ name }) => `tool:${name}`)));
  if (typeof rateLimits !== 'object' || Array.isArray(rateLimits)) {
    throw new Error('rateLimits is no object. Write { PROVIDER: { every, burst }, "tool:NAME": { every, burst } }.');
  }
  const accounts = new Set(agents.flatMap((agent) => modelsOf(choiceOf(agent)).map((ref) => targetOf(ref, 0).account)));
  for (const [name, limit] of Object.entries(rateLimits)) {
    const option = `rateLimits["${name}"]`;
    checkOptions(option, limit, ['every', 'burst']);
    if (limit.every !== 0) durationMs(limit.every, `${option}.every`);
    const { burst = 1 } = limit;
    if (!Number.isInteger(burst) || burst < 1) {
      throw new Error(`${option}.burst is ${shown(burst)}. Write a whole number of requests, at least 1.`);
    }
    if (!name.startsWith('tool:') && !accounts.has(name)) {
      throw new Error(`${option} is for a provider that no agent asks. There are: ${[...accounts].join(', ')}.`);
    }
    if (name.startsWith('tool:') && !tools.has(name)) {
      throw new Error(`${option} is for a tool that no agent has. There are: ${[...tools].join(', ') || 'none'}.`);
    }
  }
}

/** @throws with what to write instead. */
export function checkApprovals({ approvals }: Pick<HoldfastConfig, 'approvals'>): void {
  if (approvals === undefined) return;
  checkOptions('approvals', approvals, ['expire', 'quorum']);
  if (approvals.expire !== undefined) checkExpire(approvals.expire);
  if (approvals.quorum !== undefined) checkQuorum(approvals.quorum);
}

/** Each time a question expires it is asked again, and people are told. */
function checkExpire(expire: Duration): void {
  if (durationMs(expire, 'approvals.expire') >= 1_000) return;
  throw new Error(
    `approvals.expire is ${shown(expire)}: nobody can answer in that time. Write e.g. '7d'; a second is the least.`,
  );
}

function checkQuorum(quorum: Quorum): void {
  checkOptions('approvals.quorum', quorum, ['above', 'currency']);
  const { above, currency } = quorum;
  if (!(Number.isFinite(above) && above >= 0)) {
    throw new Error(
      `approvals.quorum.above is ${shown(above)}. Write the amount above which two people must agree, from 0 on, e.g. 500.`,
    );
  }
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) {
    throw new Error(`approvals.quorum.currency is ${shown(currency)}. Write a code of ISO 4217, e.g. "USD".`);
  }
}

/** @throws with what to write instead, and never with an address: it may be a secret. */
export function checkNotify({ notify }: Pick<HoldfastConfig, 'notify'>): void {
  if (notify === undefined) return;
  checkOptions('notify', notify, Object.keys(NOTIFY_OPTIONS));
  checkAddress('notify.url', notify.url);
  if (notify.escalateUrl !== undefined) checkAddress('notify.escalateUrl', notify.escalateUrl);
  const { format, secretEnv, webUi } = notify;
  if (format !== undefined && format !== 'json' && format !== 'slack') {
    throw new Error(`notify.format is ${shown(format)}. Write "json" or "slack", or leave it out.`);
  }
  if (secretEnv !== undefined && !/^[A-Za-z_]\w*$/.test(secretEnv)) {
    throw new Error(
      'notify.secretEnv is not the name of an environment variable. Write the name, e.g. "HOLDFAST_NOTIFY_SECRET", and put the secret into the environment.',
    );
  }
  if (webUi !== undefined && !/^https?:$/.test(URL.parse(webUi)?.protocol ?? '')) {
    throw new Error(`notify.webUi is ${shown(webUi)}. Write the Web UI's address, e.g. "http://127.0.0.1:8233".`);
  }
  checkAlertTimes(notify);
}

function checkAlertTimes(notify: Notify): void {
  const { remindMs, escalateMs } = alertTimesOf(notify);
  if (escalateMs === undefined) {
    if (notify.escalateUrl === undefined) return;
    throw new Error(
      `notify.escalateUrl is never used without notify.escalateAfter. Add e.g. escalateAfter: '4h', or drop it.`,
    );
  }
  if (escalateMs > remindMs) return;
  const remindAfter = notify.remindAfter ?? NOTIFY_DEFAULTS.remindAfter;
  throw new Error(
    `notify.escalateAfter (${shown(notify.escalateAfter)}) is not longer than remindAfter (${shown(remindAfter)}): somebody else would be told before the reminder. Make it longer, or remindAfter shorter.`,
  );
}

function checkAddress(what: string, address: unknown): void {
  const read = readWebhookAddress(address);
  if (read.is !== 'unusable') return;
  throw new Error(
    `${what} cannot be used: ${read.why}. Write an https: URL, an http: one on 127.0.0.1, or "env:NAME" to take it from the environment.`,
  );
}

const shown = (value: unknown): string => (typeof value === 'number' ? String(value) : JSON.stringify(value));
