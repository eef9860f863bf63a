/**
 * Argument names with which a model could try to name an action's identity, whatever their case and punctuation. The tool's
 * author names it with `intent`; what a model writes under such a name is dropped, and no tool may ask for it.
 */
const RESERVED = ['idempotencykey', 'intentid', 'intentkey', 'toolcallid'];

export function isReservedArgument(name: string): boolean {
  return name === '__proto__' || RESERVED.includes(name.toLowerCase().replace(/[^a-z]/g, ''));
}
