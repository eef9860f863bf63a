import type { Config } from '../../contracts/agent.ts';
import { NOTIFY_DEFAULTS } from '../../policy/alert-times.ts';
import { readDeciderKey } from '../../policy/decider-key.ts';
import { readKeySecrets, readSecret, type Environment } from '../../temporal/settings.ts';
import { openNotifier } from '../../workers/webhook.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** Looks at what the environment must hold for decisions, notices and keys. Shows no secret. */
export function checkPeople(config: Partial<Config>, env: Environment): readonly Finding[] {
  return [...checkDeciders(config, env), ...checkNotify(config, env), checkKeySecrets(env)];
}

function checkDeciders({ deciders }: Partial<Config>, env: Environment): readonly Finding[] {
  if (deciders === undefined) return [];
  const faults = deciders.flatMap(({ name, key }) => {
    const read = readDeciderKey(key);
    if (read.is !== 'hmac') return [];
    const secret = readSecret(read.env, env);
    if (secret === undefined) return [`${read.env} of ${name} is not set`];
    return Buffer.byteLength(secret) < MIN_SECRET_BYTES
      ? [`${read.env} of ${name} has fewer than ${MIN_SECRET_BYTES} bytes`]
      : [];
  });
  if (faults.length === 0) return [ok('Deciders', deciders.map(({ name }) => name).join(', '))];
  return [fail('Deciders', faults.join(', '), 'put it right for workers, or their decisions are refused')];
}

// As verifying has it.
const MIN_SECRET_BYTES = 32;

function checkNotify({ notify }: Partial<Config>, env: Environment): readonly Finding[] {
  if (notify === undefined) return [];
  const { format = 'json', secretEnv = NOTIFY_DEFAULTS.secretEnv } = notify;
  try {
    // As a worker would; nothing is sent.
    openNotifier(notify, (name) => readSecret(name, env));
  } catch (error) {
    return [fail('Notify', (error as Error).message, 'until then no worker starts')];
  }
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
