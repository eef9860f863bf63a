import { personOf } from './same-person.ts';

interface DecisionText {
  readonly id: string;
  readonly question: string;
  readonly verdict: string;
  readonly by: string;
  readonly reason: string;
}

const WANTED = ['id', 'question', 'verdict', 'by', 'reason'] as const;
const OPTIONAL = ['digest', 'evidence', 'signature'] as const;

/** Characters of a whole decision's JSON: history keeps each one, and a payload that is too large would wedge its run. */
const MAX_DECISION = 100_000;

/** Levels of lists and objects: what is deeper is no result of any tool, and could not be compared. */
const MAX_DEPTH = 64;

/** Longer than this is no reason, no id and no link; and history keeps every message for ever. */
const MAX_TEXT = 4_000;

/** What is wrong with a decision of either kind, as its sender should read it. A signal carries whatever its sender typed. */
export function faultOfDecision(message: unknown, verdicts: readonly string[]): string | undefined {
  if (typeof message !== 'object' || message === null) {
    return `A decision is a JSON object with id, question, verdict, by and reason, not ${JSON.stringify(message) ?? 'nothing'}.`;
  }
  if (isDeeper(message, MAX_DEPTH) || lengthOf(message) > MAX_DECISION) {
    return `The decision has more than ${MAX_DECISION} characters, or is nested too deep. Give a short result, and a link to the rest as evidence.`;
  }
  const given = message as Partial<Record<keyof DecisionText | (typeof OPTIONAL)[number], unknown>>;
  const missing = WANTED.filter((field) => !isText(given[field]));
  if (missing.length > 0) return `The decision lacks ${missing.join(', ')}: each must be a text that is not empty.`;
  const verdict = String(given.verdict);
  if (!verdicts.includes(verdict))
    return `"${verdict.slice(0, 50)}" is not a verdict. Use one of ${verdicts.join(', ')}.`;
  const odd = OPTIONAL.find((field) => given[field] !== undefined && !isText(given[field]));
  if (odd) return `"${odd}" must be a text that is not empty, or be left out.`;
  const long = [...WANTED, ...OPTIONAL].find((field) => isLong(given[field]));
  if (long) return `"${long}" has more than ${MAX_TEXT} characters. Say it in fewer, or give a link as evidence.`;
  if (personOf(String(given.by)) === '')
    return `"by" is ${JSON.stringify(given.by)}: a name nobody can read. Write who decides.`;
  return undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Characters of its JSON; what is nested too deep to be written has no end. */
export function lengthOf(message: object): number {
  try {
    return JSON.stringify(message).length;
  } catch {
    return Infinity;
  }
}

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > MAX_TEXT;
const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

/** What is wrong with the arguments that a decision is said to be about. Undefined: nothing was said, or it fits. */
export function faultOfDigest(digest: string | undefined, question: { readonly digest: string }): string | undefined {
  if (digest === undefined || digest === question.digest) return undefined;
  return `The digest is not the question's: it was ${question.digest}. Look at the question again.`;
}
