import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Content } from '../contracts/content.ts';
import { inline } from '../contracts/content.ts';
import type { Decision } from '../contracts/decision.ts';
import type { ResolveOutcome } from '../contracts/messages.ts';
import type { LedgerDecision, LedgerEntry, LedgerRecord } from '../contracts/ledger.ts';
import { assertNever } from './assert-never.ts';
import { foldKey, type KeyState, type OpenClaim } from './fold-key.ts';
import { isUnderWay, landsUntil } from './lands-until.ts';
import { RECORD_GRACE_MS } from './ledger-times.ts';
import { isSamePerson, personOf } from './same-person.ts';
import { isApproval } from './weigh-leave.ts';

type Done = Extract<KeyState, { is: 'done' }>;

/**
 * `settled`: written, or the same had been written before. `more`: on record, and `need` people must say the same; `have`
 * names those who did. `known`: the effect is on record already, and the decision agrees.
 * `stands`: something else holds, and the decision is refused; `done` when that is the effect itself.
 */
export type Settlement =
  | { readonly is: 'settled' }
  | { readonly is: 'more'; readonly have: readonly string[]; readonly need: number }
  | { readonly is: 'known'; readonly done: Done }
  | { readonly is: 'stands'; readonly why: string; readonly done?: Done };

/**
 * Writes a decision over an open key, once: the first valid one wins, the same again is fine, another is told what stands.
 * Where `need` people must agree, it takes its place when so many different ones have said the same.
 */
export function settleKey(
  records: readonly LedgerRecord[],
  decision: Decision,
  terms: SettleTerms,
): LedgerDecision<Settlement> {
  const standing = records.filter((r) => r.is === 'settled').find((r) => r.decision.question === decision.question);
  if (standing) {
    return {
      append: [],
      answer: isSameDecision(standing.decision, decision)
        ? { is: 'settled' }
        : stands(describeDecision(standing.decision)),
    };
  }
  const state = foldKey(records);
  switch (state.is) {
    case 'open':
      return settleOpen(records, state, decision, terms);
    case 'done':
      return { append: [], answer: answerDone(state, decision) };
    case 'closed':
      return { append: [], answer: stands(describeDecision(state.record.decision)) };
    case 'failed':
      return { append: [], answer: stands(`the tool itself said no: ${state.record.message}`) };
    case 'free':
      return { append: [], answer: stands('nothing is open under this intent') };
    default:
      return assertNever(state);
  }
}

export interface SettleTerms {
  /** Epoch milliseconds. */
  readonly now: number;
  /** How many different people must say the same. Default 1. */
  readonly need?: number;
  /** The claim that was asked about, where the question names it. */
  readonly claim?: string | undefined;
}

/**
 * Why a decision must not close what is open under its key: it is about an attempt that has ended, or another one is under way,
 * whose effect it would call undone or done with. Only a person may overrule the time in which an effect can still land.
 */
function whyNotYet(
  claims: readonly OpenClaim[],
  { verdict, override }: Decision,
  { now, claim }: Pick<SettleTerms, 'now' | 'claim'>,
): string | undefined {
  if (claim !== undefined && !claims.some((open) => open.claim.claim === claim)) {
    return 'the attempt it was asked about has ended since, and what is open is another one';
  }
  if (verdict === 'happened') return undefined;
  const busy = claims.find((open) => isUnderWay(open, now));
  if (busy) {
    const { run, call, sendBy } = busy.claim;
    return `another attempt is under way (run ${run}, call ${call}); ask again after ${iso(sendBy + RECORD_GRACE_MS)}`;
  }
  const until = Math.max(...claims.map(landsUntil));
  return verdict === 'did-not-happen' && now < until && !override
    ? `the effect may still land until ${iso(until)}`
    : undefined;
}

const iso = (at: number): string => new Date(at).toISOString();

function settleOpen(
  records: readonly LedgerRecord[],
  state: Extract<KeyState, { is: 'open' }>,
  decision: Decision,
  { now, need = 1, claim }: SettleTerms,
): LedgerDecision<Settlement> {
  const bar = whyNotYet(state.claims, decision, { now, claim });
  if (bar !== undefined) return { append: [], answer: stands(bar) };
  const subject = subjectOf(state, now);
  const settled = { append: [{ ...subject, is: 'settled' as const, decision }], answer: { is: 'settled' as const } };
  if (need <= 1 || decision.settledBy !== 'person') return settled;
  const words = wordsOn(records, decision.question);
  const own = words.find((word) => isSamePerson(word, decision));
  if (own && !isSameDecision(own, decision)) {
    return { append: [], answer: stands(`${own.by} has already said "${own.verdict}": ${own.reason}`) };
  }
  const agreeing = [...words.filter((word) => isSameDecision(word, decision)), decision];
  const agreed = new Map(agreeing.map(({ by }) => [personOf(by), by]));
  if (agreed.size >= need) return settled;
  const word: LedgerEntry = { ...subject, is: 'decided', digest: state.claims[0].claim.digest, decision };
  return { append: own ? [] : [word], answer: { is: 'more', have: [...agreed.values()], need } };
}

/** What people have said on an outcome where one word is not enough, oldest first. */
function wordsOn(records: readonly LedgerRecord[], question: string): readonly ResolveOutcome[] {
  return records
    .filter((record) => record.is === 'decided')
    .map(({ decision }) => decision)
    .filter((decision) => !isApproval(decision))
    .filter((decision) => decision.question === question);
}

/** What the recorded effect gave: the tool's own result, or what the person said it had given. */
export function recordedResult({ record }: Done): Content {
  return record.is === 'done' ? record.result : inline(record.decision.result ?? null);
}

function answerDone(done: Done, { verdict }: Decision): Settlement {
  return verdict === 'happened' ? { is: 'known', done } : { ...stands(describeDone(done)), done };
}

type Gist = Pick<Decision, 'verdict' | 'then' | 'result'>;

/** The same again is fine, whoever says it and under whatever id; anything else conflicts, also another result. */
export function isSameDecision(a: Gist, b: Gist): boolean {
  const hasSameResult = a.verdict !== 'happened' || canonicalJson(a.result ?? null) === canonicalJson(b.result ?? null);
  return a.verdict === b.verdict && (a.then ?? 'tell-model') === (b.then ?? 'tell-model') && hasSameResult;
}

/** Who decided what, and why: what stands, for whoever decides otherwise. */
export function describeDecision({ verdict, by, reason }: Decision): string {
  return `${by} decided "${verdict}": ${reason}`;
}

function describeDone({ record }: Done): string {
  return record.is === 'done' ? 'the call itself reported success' : describeDecision(record.decision);
}

function subjectOf(state: Extract<KeyState, { is: 'open' }>, at: number) {
  const { key, task, run, execution, call, tool, generation } = state.claims[0].claim;
  return { key, task, run, execution, call, tool, generation, at };
}

const stands = (why: string) => ({ is: 'stands', why }) as const;
