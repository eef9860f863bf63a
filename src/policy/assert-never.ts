/** Ends a switch over a union: the compiler proves that it is not reached. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value ${JSON.stringify(value)}: a case of a union is not handled.`);
}
