/** Adds records of numbers, field by field. `zero` names the fields. */
export function sumFields<Sums extends Readonly<Record<keyof Sums, number>>>(zero: Sums, parts: readonly Sums[]): Sums {
  const fields = Object.keys(zero) as (keyof Sums)[];
  const sums = fields.map((field) => [field, parts.reduce<number>((sum, part) => sum + part[field], zero[field])]);
  // The same fields as in `zero`, each a number.
  return Object.fromEntries(sums) as Sums;
}
