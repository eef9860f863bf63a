import type { Json } from '../contracts/json.ts';
import { isReservedArgument } from '../policy/reserved-arguments.ts';

/** The arguments of a call, or what is wrong with them, to be said to the model: `were not …`. */
export type ReadArguments = { readonly value: Record<string, Json> } | { readonly problem: string };

/** The arguments of a call as the model wrote them, less the reserved names. Nothing at all is an empty object. */
export function readArguments(input: string): ReadArguments {
  try {
    const value = JSON.parse(input.trim() === '' ? '{}' : input) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { problem: 'were not a JSON object' };
    return { value: withoutReserved(value as Record<string, Json>) };
  } catch (error) {
    const at = /at position \d+/.exec(String(error))?.[0];
    return { problem: `were not valid JSON${at === undefined ? '' : ` (${at})`}` };
  }
}

/** The same; an empty object where they are none. */
export function argumentsIn(input: string): Record<string, Json> {
  const read = readArguments(input);
  return 'value' in read ? read.value : {};
}

/** Arguments less the reserved names: as a tool gets them, and as calls are compared. */
export function withoutReserved(fields: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isReservedArgument(name)));
}
