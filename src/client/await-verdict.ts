import type { RunView } from '../contracts/run.ts';
import { isSamePerson } from '../policy/same-person.ts';
import type { ClientParts } from './client-parts.ts';
import { readState } from './read-state.ts';

/** What became of a decision that a run took in. `gone`: its question is no longer asked, and nobody refused it. `more`: another person must say the same. */
export type Verdict =
  | { readonly is: 'gone' }
  | { readonly is: 'more'; readonly have: readonly string[]; readonly need: number }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'open' };

const WITHIN_MS = 10_000;
const FIRST_MS = 100;
/** Growing pauses: many who ask about one run at once would keep its worker from getting on with it. */
const GROWTH = 1.5;
const LONGEST_MS = 1_500;

/**
 * Waits until the run says what became of a decision: a signature, a second person and the ledger are asked after it was taken
 * in. `open` when it has not said so in time; the decision is kept.
 */
export async function awaitVerdict(
  parts: ClientParts,
  { run, question, decision, by }: { run: string; question: string; decision: string; by: string },
): Promise<Verdict> {
  const until = Date.now() + WITHIN_MS;
  for (let pauseMs = FIRST_MS; Date.now() < until; pauseMs = Math.min(LONGEST_MS, pauseMs * GROWTH)) {
    const view = await readState(parts, run);
    const verdict = view && verdictOf(view, { question, decision, by });
    if (verdict) return verdict;
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
  return { is: 'open' };
}

function verdictOf(
  { refused, questions, underWay = [] }: RunView,
  { question, decision, by }: { question: string; decision: string; by: string },
): Verdict | undefined {
  const refusal = refused.findLast((one) => one.id === decision && one.question === question);
  if (refusal) return { is: 'refused', why: refusal.why };
  if (underWay.includes(decision)) return undefined;
  const open = questions.find(({ id }) => id === question);
  if (!open) return { is: 'gone' };
  const { have = [], need = 1 } = open;
  return have.some((one) => isSamePerson({ by: one }, { by })) ? { is: 'more', have, need } : undefined;
}
