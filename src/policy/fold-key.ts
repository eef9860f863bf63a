import type { LedgerRecord } from '../contracts/ledger.ts';

type Of<Is extends LedgerRecord['is']> = Extract<LedgerRecord, { is: Is }>;
export type ClaimRecord = Of<'claimed'>;

/** A claim that no record closes. `lost`: somebody has already stated that its outcome is unknown. */
export interface OpenClaim {
  readonly claim: ClaimRecord;
  readonly lost: Of<'unknown'> | undefined;
}

/**
 * What the records of a key amount to.
 *
 * - `free`: nothing happened, or it is `settled` as not having happened; the next claim takes `generation`.
 * - `done`: the effect exists, by a result or by a person's word. `contradicts`: it had been settled as not having happened.
 * - `closed`: reversed by a person: not to be done again.
 * - `failed`: the tool itself said no.
 * - `open`: at least one claim may have acted.
 */
export type KeyState =
  | { readonly is: 'free'; readonly generation: number; readonly settled: Of<'settled'> | undefined }
  | {
      readonly is: 'done';
      readonly record: Of<'done'> | Of<'settled'>;
      readonly claim: ClaimRecord;
      readonly contradicts: Of<'settled'> | undefined;
    }
  | { readonly is: 'closed'; readonly record: Of<'settled'> }
  | { readonly is: 'failed'; readonly record: Of<'failed'> }
  | { readonly is: 'open'; readonly generation: number; readonly claims: readonly [OpenClaim, ...OpenClaim[]] };

/**
 * Folds all records of one key, oldest first: done > settled > failed > any open claim > free, within the newest generation;
 * never "the last record". A `done` of an older generation counts too: the effect exists, whatever was decided meanwhile.
 */
export function foldKey(records: readonly LedgerRecord[]): KeyState {
  const generation = generationOf(records);
  const now = records.filter((record) => record.generation === generation);
  return foldDone(records) ?? foldSettled(now, generation) ?? foldFailed(now) ?? foldOpen(now, generation);
}

/** The newest generation that anything was done in, or said to be. Words of people that settle nothing open none. */
export function generationOf(records: readonly LedgerRecord[]): number {
  const acts = records.filter(({ is }) => is !== 'decided' && is !== 'declined' && is !== 'ruled');
  return Math.max(1, ...acts.map((record) => record.generation));
}

/** The generation that a claim would be made in now, and so that a word on it is about. */
export function nextGeneration(records: readonly LedgerRecord[]): number {
  const state = foldKey(records);
  if (state.is === 'free' || state.is === 'open') return state.generation;
  return state.is === 'failed' ? state.record.generation + 1 : generationOf(records);
}

function foldDone(records: readonly LedgerRecord[]): KeyState | undefined {
  const record = records.findLast((r) => r.is === 'done' || (r.is === 'settled' && r.decision.verdict === 'happened'));
  if (record?.is !== 'done' && record?.is !== 'settled') return undefined;
  const claim = claimBehind(records, record);
  if (!claim) return undefined;
  const contradicts = records.filter((r) => r.is === 'settled').find((r) => r.decision.verdict !== 'happened');
  return { is: 'done', record, claim, contradicts: record.is === 'done' ? contradicts : undefined };
}

function claimBehind(records: readonly LedgerRecord[], record: Of<'done'> | Of<'settled'>): ClaimRecord | undefined {
  const claims = records.filter((r) => r.is === 'claimed');
  return record.is === 'done'
    ? claims.find((r) => r.claim === record.claim)
    : claims.findLast((r) => r.generation === record.generation);
}

function foldSettled(now: readonly LedgerRecord[], generation: number): KeyState | undefined {
  const settled = now.find((r) => r.is === 'settled');
  if (!settled) return undefined;
  return settled.decision.verdict === 'reversed'
    ? { is: 'closed', record: settled }
    : { is: 'free', generation: generation + 1, settled };
}

function foldFailed(now: readonly LedgerRecord[]): KeyState | undefined {
  const record = now.find((r) => r.is === 'failed');
  return record && { is: 'failed', record };
}

function foldOpen(now: readonly LedgerRecord[], generation: number): KeyState {
  const ended = now.filter((r) => r.is === 'not-executed');
  const [first, ...rest] = now
    .filter((r) => r.is === 'claimed')
    .filter((claim) => !ended.some((r) => r.claim === claim.claim))
    .map((claim): OpenClaim => ({
      claim,
      lost: now.filter((r) => r.is === 'unknown').find((r) => r.claim === claim.claim),
    }));
  if (first) return { is: 'open', generation, claims: [first, ...rest] };
  return { is: 'free', generation: ended.some((r) => r.definite) ? generation + 1 : generation, settled: undefined };
}
