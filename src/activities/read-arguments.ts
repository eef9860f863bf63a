import type { Json } from '../contracts/json.ts';
import { isReservedArgument } from '../policy/reserved-arguments.ts';

/** The arguments of a call as the model wrote them, less the reserved names; undefined when they are no JSON object. */
export function readArguments(input: string): Record<string, Json> | undefined {
  try {
    const value = JSON.parse(input.trim() === '' ? '{}' : input) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return withoutReserved(value as Record<string, Json>);
  } catch {
    // Not JSON: the caller tells the model so.
    return undefined;
  }
}

/** Arguments less the reserved names: as a tool gets them, and as calls are compared. */
export function withoutReserved(fields: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isReservedArgument(name)));
}
