import type { BackoffSettings, Jitter } from '../contracts/backoff.ts';
import type { Backoff } from './backoff.ts';
import { checkOptions } from './check-options.ts';
import { durationMs } from './duration-ms.ts';

const JITTERS: readonly Jitter[] = ['full', 'equal', 'decorrelated', 'fixed'];

/** The backoff of settings; what they leave out is as in `defaults`. @throws with what to write instead; `what` names the owner. */
export function backoffOf(settings: BackoffSettings | undefined, defaults: Backoff, what: string): Backoff {
  if (settings === undefined) return defaults;
  checkOptions(what, settings, ['base', 'max', 'growth', 'jitter']);
  const { base, max, growth = defaults.growth, jitter = 'full' } = settings;
  if (!(Number.isFinite(growth) && growth >= 1)) throw new Error(`${what}.growth is ${growth}. Write a number from 1.`);
  if (!JITTERS.includes(jitter)) {
    throw new Error(`${what}.jitter is ${JSON.stringify(jitter)}. There are: ${JITTERS.join(', ')}.`);
  }
  const baseMs = base === undefined ? defaults.baseMs : durationMs(base, `${what}.base`);
  const maxMs = max === undefined ? Math.max(defaults.maxMs, baseMs) : durationMs(max, `${what}.max`);
  if (maxMs < baseMs) throw new Error(`${what}.max is below its base. Write a longer one.`);
  return { baseMs, maxMs, growth, jitter };
}
