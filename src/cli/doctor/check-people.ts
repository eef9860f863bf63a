import type { Config } from '../../contracts/agent.ts';
import { NOTIFY_DEFAULTS } from '../../policy/alert-times.ts';
import { readDeciderKey } from '../../policy/decider-key.ts';
import { readKeySecrets, readSecret, type Environment } from '../../temporal/settings.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** Looks at what the environment must hold for decisions, notices and keys. Shows no secret. */
export function checkPeople(config: Partial<Config>, env: Environment): readonly Finding[] {
  return [...checkDeciders(config, env), ...checkNotify(config, env), checkKeySecrets(env)];
}

function checkDeciders({ deciders }: Partial<Config>, env: Environment): readonly Finding[] {
  if (deciders === undefined) return [];
  const unset = deciders.flatMap(({ name, key }) => {
    const read = readDeciderKey(key);
    return read.is === 'hmac' && readSecret(read.env, env) === undefined ? [`${read.env} of ${name}`] : [];
  });
  if (unset.length === 0) return [ok('Deciders', deciders.map(({ name }) => name).join(', '))];
  return [fail('Deciders', `not set: ${unset.join(', ')}`, 'set it for workers, or their decisions are refused')];
}

function checkNotify({ notify }: Partial<Config>, env: Environment): readonly Finding[] {
  if (notify === undefined) return [];
  const { url, escalateUrl, format = 'json', secretEnv = NOTIFY_DEFAULTS.secretEnv } = notify;
  const named = [url, escalateUrl]
    .filter((address) => address?.startsWith('env:'))
    .map((address) => address?.slice(4) ?? '');
  const unset = named.filter((name) => readSecret(name, env) === undefined);
  if (unset.length > 0) return [fail('Notify', `not set: ${unset.join(', ')}`, 'set it to the address of the webhook')];
  if (format === 'slack') return [ok('Notify', 'Slack')];
  return readSecret(secretEnv, env) === undefined
    ? [warn('Notify', `unsigned: ${secretEnv} is not set`, 'set it, or receivers cannot tell who sends')]
    : [ok('Notify', 'signed')];
}

function checkKeySecrets(env: Environment): Finding {
  try {
    const names = Object.keys(readKeySecrets(env).secrets);
    return ok('Keys', names.length === 0 ? 'made without a secret' : `made with ${names.join(', ')}`);
  } catch (error) {
    return fail('Keys', (error as Error).message, 'until then no worker starts');
  }
}
