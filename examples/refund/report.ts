import type { Act } from './acts.ts';
import type { DemoOptions } from './demo-options.ts';

export interface Naive {
  readonly refunds: number;
  readonly cents: number;
}

export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

const RESOLVED: Record<Act['resolvedBy'], string> = {
  person: 'decided by a person',
  'late-outcome': 'settled by late news, no person needed',
  confirm: "settled by the tool's own look-up",
  ledger: 'settled by the ledger',
};

/** The end of the story, and whether it ended as promised: one refund of the owed amount in every act. */
export function lastWords(naive: Naive, acts: readonly Act[], { cents, handsOn }: DemoOptions) {
  const isAsPromised = acts.every((act) => act.refunds === 1 && act.cents === cents);
  const rows = acts.map((act) =>
    row('Holdfast', act, `parked ${(act.parkedMs / 1_000).toFixed(1)} s, ${RESOLVED[act.resolvedBy]}`),
  );
  const lines = [
    '\nWhat happened, as payments counted it',
    row('naive loop', naive, `on a ${dollars(cents)} order`),
    ...rows,
    ...(isAsPromised ? [] : [handsOn ? PERSON_DECIDED : NOT_PROMISED]),
    '\nNext: npm run demo -- --hands-on (be the person yourself) · npx holdfast --help · README.md',
  ];
  return { lines, isAsPromised };
}

const NOT_PROMISED = '\nThis is NOT what Holdfast promises. Please report it with the output above.';
const PERSON_DECIDED =
  '\nYour decision led here: Holdfast does what a person says of the world, and keeps who said it.';

function row(who: string, { refunds, cents }: Naive, what: string): string {
  const count = `${refunds} ${refunds === 1 ? 'refund' : 'refunds'}`;
  return `  ${who.padEnd(12)}${count.padEnd(11)}${dollars(cents).padEnd(10)}${what}`;
}
