import type { LedgerRecord } from '../contracts/ledger.ts';
import { nearMatches } from '../policy/near-matches.ts';
import type { Cli } from './cli.ts';

/** The one intent that a part of it stands for. @throws with what may have been meant when there is none, or are several. */
export function findIntent(typed: string, records: readonly LedgerRecord[], { command }: Pick<Cli, 'command'>): string {
  const intents = [...new Set(records.map(({ key }) => key.intent))];
  if (intents.includes(typed)) return typed;
  const [found, ...others] = intents.filter((intent) => intent.includes(typed));
  if (found !== undefined && others.length === 0) return found;
  const near = found === undefined ? nearMatches(typed, intents) : [found, ...others];
  const list = near.slice(0, MOST).map((intent) => `\n  ${intent}`);
  const more = near.length > MOST ? `\n  … and ${near.length - MOST} more` : '';
  if (found !== undefined) {
    throw new Error(`"${typed}" may be any of ${near.length} intents. Write more of it.${list.join('')}${more}`);
  }
  const hint = near.length > 0 ? ` Did you mean:${list.join('')}` : ` All there are: ${command('ledger')}`;
  throw new Error(`No record has an intent with "${typed}" in it.${hint}`);
}

const MOST = 10;
