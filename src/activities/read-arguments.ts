import type { Json } from '../contracts/json.ts';
import { isReservedArgument } from '../policy/reserved-arguments.ts';

/** The arguments of a call as the model wrote them, less the reserved names; undefined when they are no JSON object. */
export function readArguments(input: string): Record<string, Json> | undefined {
  try {
    const value = JSON.parse(input.trim() === '' ? '{}' : input) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const fields = Object.entries(value as Record<string, Json>);
    return Object.fromEntries(fields.filter(([name]) => !isReservedArgument(name)));
  } catch {
    // Not JSON: the caller tells the model so.
    return undefined;
  }
}
