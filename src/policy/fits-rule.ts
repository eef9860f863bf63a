import type { ApprovalRule } from '../contracts/approval.ts';
import { canonicalJson, isPlainObject } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';

/** Whether arguments satisfy every condition of a remembered approval: equal as canonical JSON, field by field. */
export function fitsRule({ where }: Pick<ApprovalRule, 'where'>, input: Json): boolean {
  const fields = isPlainObject(input) ? (input as Readonly<Record<string, Json>>) : {};
  return Object.entries(where).every(([name, value]) => {
    const actual = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return actual !== undefined && canonicalJson(actual) === canonicalJson(value);
  });
}

/** A rule as people read it: the tool, and on which arguments it holds. */
export function describeRule({ tool, where, by, reason }: ApprovalRule): string {
  const conditions = Object.entries(where).map(([name, value]) => `${name} = ${canonicalJson(value)}`);
  const which = conditions.length === 0 ? 'with any arguments' : `where ${conditions.join(' and ')}`;
  return `${tool} ${which} needs no further approval in this task (${by}: ${reason})`;
}
