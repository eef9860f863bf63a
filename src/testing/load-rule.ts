import { pathToFileURL } from 'node:url';
import type { Json } from '../contracts/json.ts';
import type { Rule } from './rule.ts';

/** Where a rule lives, for a process that cannot be given a function. */
export interface RuleAddress {
  /** Path or file URL of a module, and after `#` the name of its export; without one, the default export. */
  readonly rule: string;
  /** When given, the export is not the rule but a function that makes it from this value. */
  readonly with?: Json | undefined;
}

/** Imports a rule. @throws when the module or the export is missing. */
export async function loadRule(address: RuleAddress): Promise<Rule> {
  const url = new URL(address.rule, pathToFileURL(`${process.cwd()}/`));
  const name = url.hash.slice(1) || 'default';
  url.hash = '';
  const exported = ((await import(url.href)) as Record<string, unknown>)[name];
  if (typeof exported !== 'function')
    throw new Error(`Cannot load rule "${address.rule}": ${url.pathname} exports no function named ${name}.`);
  // A function is all that can be seen of a rule from outside.
  return address.with === undefined ? (exported as Rule) : (exported as (value: Json) => Rule)(address.with);
}
