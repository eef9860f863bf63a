import type { Effect } from '../../src/contracts/effect.ts';
import type { Delivery } from '../../src/contracts/failure.ts';
import type { Verdict } from '../../src/policy/judge.ts';

/** How far one request of an attempt came. `wrong-place`: certificate, port or address that will not be right next time. */
export type Phase = 'not-connected' | 'wrong-place' | 'lost' | 'answered';

export interface Sent {
  readonly changes: boolean;
  readonly phase: Phase;
  readonly status: number;
}

/** `unreadable`: the body of an answer could not be read. `code`: a transport code; `status`: one the error carries itself. */
export type End =
  | { readonly is: 'cancelled' | 'timed-out' | 'not-executed' | 'tool-refused' | 'unreadable' | 'bug' | 'code' }
  | { readonly is: 'status'; readonly status: number };

export interface Case {
  readonly effect: Effect;
  readonly thrown: 'unknown' | 'refused';
  readonly refusedStatuses: readonly number[];
  readonly sent: readonly Sent[];
  readonly end: End;
  readonly earlier: readonly Delivery[];
  readonly spent: boolean;
}

type Help = 'later' | 'never' | 'confirm' | 'cancelled';
type Reading = readonly [help: Help, acted: 'no' | 'maybe'];

const REFUSALS = [429, 400, 401, 403, 404, 405, 410, 413, 415];
/** The statuses that say "later"; any other one says so to nobody: an error nobody has named stops once. */
const LATER = [408, 425, 429, 500, 502, 503, 504, 529];

/** The table of design.md, section 4, written down a second time from that page alone. */
export function verdictOf(attempt: Case): Verdict {
  const [help, acted] = read(attempt);
  const { effect, spent } = attempt;
  const isClean = acted === 'no' && !attempt.earlier.includes('maybe-sent');
  const isReadOnly = effect === 'read-only';
  if (help === 'cancelled' && (isClean || isReadOnly)) return { is: 'cancelled' };
  if (help === 'confirm') return { is: 'unknown' };
  if (help === 'later' && !spent && (isClean || effect !== 'unflagged')) return { is: 'retry' };
  const status = help === 'later' ? 'unavailable' : 'failed';
  if (isClean || isReadOnly) return { is: 'tell-model', status, mayHaveApplied: false };
  return effect === 'idempotent' ? { is: 'tell-model', status, mayHaveApplied: true } : { is: 'unknown' };
}

function read(attempt: Case): Reading {
  const { end, sent, effect, thrown } = attempt;
  if (end.is === 'cancelled') return ['cancelled', 'maybe'];
  if (end.is === 'timed-out') return ['later', 'maybe'];
  if (end.is === 'not-executed') return ['later', 'no'];
  if (end.is === 'tool-refused') return ['never', 'no'];
  const telling = sent.filter(({ changes }) => changes || effect === 'read-only');
  const readings = telling.map((request) => readRequest(request, attempt)).filter((reading) => reading !== 'success');
  const isAnswered = readings.length < telling.length;
  const decisive = readings.find(([, acted]) => acted === 'maybe') ?? (isAnswered ? undefined : readings.at(-1));
  if (decisive) return decisive;
  if (isAnswered && (end.is === 'unreadable' || end.is === 'code')) return ['later', 'maybe'];
  if (thrown === 'refused') return ['never', 'no'];
  const isLater = end.is === 'code' || (end.is === 'status' && LATER.includes(end.status));
  return [isLater ? 'later' : 'never', 'maybe'];
}

function readRequest({ phase, status }: Sent, { effect, refusedStatuses }: Case): Reading | 'success' {
  if (phase === 'not-connected') return ['later', 'no'];
  if (phase === 'wrong-place') return ['never', 'no'];
  if (phase === 'lost') return ['later', 'maybe'];
  if (status >= 200 && status < 300) return 'success';
  const help = LATER.includes(status) ? 'later' : 'never';
  if (REFUSALS.includes(status) || refusedStatuses.includes(status)) return [help, 'no'];
  const isOurKey = effect === 'idempotent' || effect === 'by-key';
  if (status === 409 && isOurKey) return ['later', 'maybe'];
  return status === 422 && isOurKey ? ['confirm', 'maybe'] : [help, 'maybe'];
}
