import type { LedgerKey, LedgerRecord } from '../contracts/ledger.ts';
import { generationOf } from '../policy/fold-key.ts';
import { wireKey } from './digest.ts';
import type { ActivityPorts, KeySecrets } from './ports.ts';

/** The secret that an action's wire key is made with. `none`: a key without a secret. */
export type SecretOfKey =
  | { readonly is: 'none' }
  | { readonly is: 'known'; readonly value: string }
  | { readonly is: 'missing'; readonly why: string };

/** Finds the secret an action began with. Another one would make another key, and the receiver would act again. */
export function secretOfKey({ secrets }: KeySecrets, name: string | undefined): SecretOfKey {
  if (name === undefined) return { is: 'none' };
  const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (value !== undefined) return { is: 'known', value };
  return {
    is: 'missing',
    why: `its key was made with secret "${name}", which this worker does not have. Add it to HOLDFAST_KEY_SECRETS.`,
  };
}

/** The wire key of an action as its records have it. */
export function keyOfRecords(
  { keySecrets }: Pick<ActivityPorts, 'keySecrets'>,
  key: LedgerKey,
  records: readonly LedgerRecord[],
): string {
  const secret = secretOfKey(keySecrets, records.find((record) => record.is === 'claimed')?.secret);
  return wireKey(key, generationOf(records), secret.is === 'known' ? secret.value : undefined);
}
