import { nearMatches } from '../policy/near-matches.ts';

/** How many are listed of those that may be meant. */
const MOST = 10;

/**
 * The one of the known names that a part of it stands for. `what`: as a sentence has it, `intent`. `otherwise`: the command that
 * shows all. @throws with what may have been meant where there is none, or are several.
 */
export function findName(
  typed: string,
  known: readonly string[],
  { what, otherwise }: { readonly what: string; readonly otherwise: string },
): string {
  const names = [...new Set(known)];
  if (names.includes(typed)) return typed;
  const [found, ...others] = names.filter((name) => name.includes(typed));
  if (found !== undefined && others.length === 0) return found;
  const near = found === undefined ? nearMatches(typed, names) : [found, ...others];
  const list = near.slice(0, MOST).map((name) => `\n  ${name}`);
  const more = near.length > MOST ? `\n  … and ${near.length - MOST} more` : '';
  if (found !== undefined) {
    throw new Error(`"${typed}" may be any of ${near.length} ${what}s. Write more of it.${list.join('')}${more}`);
  }
  const hint = near.length > 0 ? ` Did you mean:${list.join('')}` : ` All there are: ${otherwise}`;
  throw new Error(`no record has "${typed}" in its ${what}.${hint}`);
}
