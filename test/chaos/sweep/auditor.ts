// The judge: node auditor.ts DIR. A program of its own that imports nothing of the runtime. It reads the evidence in DIR
// (plan.json, payments.db, cases/*/), checks the invariants, prints one JSON object and exits with the number of those broken.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Case = Readonly<Record<'id' | 'boundary' | 'effect' | 'victim' | 'order', string>>;
interface Plan {
  readonly cases: readonly Case[];
  readonly naive: readonly { readonly id: string; readonly order: string }[];
}
interface Outcome {
  readonly acceptedAt?: number;
  readonly reachedAt?: number;
  readonly struckAt?: number;
  readonly how?: string;
  readonly wokenAt?: number;
}
interface Decided {
  readonly id: string;
  readonly question: string;
  readonly verdict: string;
  readonly then?: string;
  readonly override?: boolean;
  readonly digest?: string;
}
/** A ledger record as it was exported; which fields it has depends on `is`. */
interface LedgerLine {
  readonly counter: number;
  readonly task: string;
  readonly key: { readonly scope: string; readonly intent: string };
  readonly call: string;
  readonly execution: string;
  readonly generation: number;
  readonly at: number;
  readonly is: string;
  readonly claim?: string;
  readonly schedule?: number;
  readonly sendBy?: number;
  readonly landsWithinMs?: number;
  readonly digest?: string;
  readonly effect?: string;
  readonly permits?: readonly string[];
  readonly decision?: Decided;
}
interface SaidLine extends Decided {
  readonly as: string;
  readonly answer: { readonly is: string };
}
interface EventLine {
  readonly type: string;
  readonly at: number;
  readonly kind?: string;
  readonly call?: string;
}
interface Arrival {
  readonly at: number;
  readonly method: string;
  readonly key: string | null;
  readonly bodyHash: string;
  readonly body: string;
}
interface Effect {
  readonly at: number;
  readonly orderId: string;
  readonly cents: number;
  readonly key: string | null;
}
interface HistoryEvent {
  readonly eventType: string;
  readonly workflowExecutionCompletedEventAttributes?: { readonly result?: { readonly payloads?: Payload[] } };
  readonly upsertWorkflowSearchAttributesEventAttributes?: {
    readonly searchAttributes?: { readonly indexedFields?: Readonly<Record<string, Payload>> };
  };
}
interface Payload {
  readonly data?: string;
}
interface Finding {
  readonly case: string;
  readonly invariant: string;
  readonly what: string;
}
/** Everything there is about one case. */
interface Evidence {
  readonly planned: Case;
  readonly outcome: Outcome;
  readonly before: readonly LedgerLine[];
  readonly records: readonly LedgerLine[];
  readonly said: readonly SaidLine[];
  readonly events: readonly EventLine[];
  /** The last execution's. */
  readonly history: readonly HistoryEvent[] | undefined;
  readonly arrivals: readonly Arrival[];
  readonly effects: readonly Effect[];
}
type Check = (evidence: Evidence) => readonly string[];

/** At these boundaries a claim may rightly have sent nothing that anybody saw. */
const UNSENT = ['b7b', 'b7c', 'b8x', 'b8p', 'b13', 'b14', 'b15q'];
/** At these the tool may only be used with leave. */
const APPROVED = ['b8p', 'b12p', 'b13p'];
const CENTS = 4_900;
/** What follows it was added on the way, for a service that must not know its keys again. */
const KEY_MARK = '~';

const isWriter = ({ planned }: Evidence): boolean => planned.effect !== 'read-only';
const claimsOf = (records: readonly LedgerLine[]) => records.filter(({ is }) => is === 'claimed');
const settledOf = (records: readonly LedgerLine[]) => records.filter(({ is }) => is === 'settled');
const sha = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
/** What docs/design.md says of the key on the wire. */
const wireKey = ({ key: { scope, intent }, generation }: LedgerLine): string =>
  sha(generation === 1 ? [scope, intent] : [scope, intent, generation]);

/** I1: no more effects than one and those that a person ordered; an unflagged tool's requests likewise. */
const atMostOnce: Check = (evidence) => {
  const { planned, outcome, records, arrivals, effects } = evidence;
  // Said by a person, it lets the action pass once more: by order, or because the model asks again.
  const again = settledOf(records).filter(({ decision }) => decision?.verdict === 'did-not-happen').length;
  const allowed = isWriter(evidence) ? 1 + again : 0;
  const late = arrivals.filter(
    ({ at, method }) => method === 'POST' && outcome.wokenAt !== undefined && at > outcome.wokenAt,
  );
  const bodies = Map.groupBy(arrivals, ({ key }) => key);
  return [
    ...(effects.length > allowed ? [`${effects.length} effects, ${allowed} allowed`] : []),
    ...(planned.effect === 'unflagged' && arrivals.length > allowed
      ? [`${arrivals.length} requests of an unflagged tool, ${allowed} allowed`]
      : []),
    ...[...bodies].flatMap(([key, same]) =>
      new Set(same.map(({ bodyHash }) => bodyHash)).size > 1 ? [`different bodies under key ${key}`] : [],
    ),
    // At b7 the worker is woken on purpose while another is at work.
    ...(planned.boundary !== 'b7' && late.length > 0 ? ['a stopped worker woke and began a request'] : []),
  ];
};

/** I2: a truthful person and one order: one effect, of the amount that was asked for, and the run knows it. */
const exactlyOnce: Check = (evidence) => {
  const { effects } = evidence;
  const result = resultOf(evidence);
  if (!result) return [];
  const wanted = isWriter(evidence) ? 1 : 0;
  return [
    ...(effects.length === wanted ? [] : [`${effects.length} effects instead of ${wanted}`]),
    ...(effects.every(({ cents }) => cents === CENTS) ? [] : ['an effect of another amount']),
    ...(result.status === 'completed' ? [] : [`the run ended ${result.status}`]),
    ...(lastReply(result.text) === 'ok' ? [] : ['the model was not told that it is done']),
  ];
};

/** I4: an attempt without a certain outcome has one record that says so, before anything else of its intent. */
const doubtOnRecord: Check = (evidence) => {
  const { records, planned } = evidence;
  const claims = claimsOf(records);
  const strict = planned.effect === 'unflagged';
  const about = ({ claim }: LedgerLine, ...kinds: string[]) =>
    records.filter((record) => record.claim === claim && kinds.includes(record.is));
  const found: string[] = [];
  for (const claim of claims) {
    const ends = about(claim, 'done', 'failed', 'not-executed');
    const unknowns = about(claim, 'unknown');
    if (unknowns.length > 1) found.push(`claim ${claim.claim}: ${unknowns.length} unknown records`);
    if (strict && ends.length === 0 && unknowns.length === 0) found.push(`claim ${claim.claim} ends without a word`);
    if (unknowns.some(({ counter }) => ends.some((end) => end.is === 'done' && end.counter < counter)))
      found.push(`claim ${claim.claim}: unknown after done`);
    const next = claims.find(({ counter, key }) => counter > claim.counter && key.intent === claim.key.intent);
    const isClear = [...ends, ...settledOf(records).filter(({ generation }) => generation === claim.generation)].some(
      ({ counter }) => next && counter < next.counter,
    );
    if (strict && next && !isClear) found.push(`claim ${next.claim} follows one whose outcome is open`);
    if (records.some((r) => r.is === 'withdrawn' && isSameSchedule(r, claim) && r.counter < claim.counter))
      found.push(`claim ${claim.claim} follows its own withdrawal`);
  }
  if (resultOf(evidence) && planned.effect !== 'idempotent' && isLeftOpen(records))
    found.push('the run has ended and the outcome is still open');
  return found;
};

const isSameSchedule = (a: LedgerLine, b: LedgerLine): boolean =>
  a.call === b.call && a.execution === b.execution && a.schedule === b.schedule;

/** The newest generation has a claim that nothing closes, and no generation is done. */
function isLeftOpen(records: readonly LedgerLine[]): boolean {
  const newest = Math.max(0, ...records.map(({ generation }) => generation));
  const now = records.filter(({ generation }) => generation === newest);
  if (records.some(({ is, decision }) => is === 'done' || decision?.verdict === 'happened')) return false;
  if (now.some(({ is }) => is === 'settled' || is === 'failed')) return false;
  return claimsOf(now).some(({ claim }) => !now.some((r) => r.is === 'not-executed' && r.claim === claim));
}

/** I5: what was accepted is applied once, to what was shown; what must be refused is refused, and leaves nothing. */
const decisionsApplied: Check = ({ planned, records, said }) => {
  const settled = settledOf(records);
  const isDone = records.some(({ is }) => is === 'done');
  const found: string[] = [];
  for (const [question, same] of Map.groupBy(settled, ({ decision }) => decision?.question))
    if (same.length > 1) found.push(`question ${question} is settled ${same.length} times`);
  for (const [generation, same] of Map.groupBy(settled, (record) => record.generation))
    if (same.length > 1) found.push(`generation ${generation} is settled ${same.length} times`);
  for (const record of settled) found.push(...faultsOfSettled(record, records, said));
  if (APPROVED.includes(planned.boundary))
    for (const claim of claimsOf(records)) found.push(...faultsOfLeave(claim, records));
  for (const { as, id, question, verdict, answer } of said) {
    const applied = records.filter(({ is, decision }) => is !== 'declined' && decision?.id === id).length;
    // Several people may be heard on an approval; what comes of a word shows in the ledger.
    const counts = applied > 0 || (answer.is === 'accepted' && !(as === 'second-opinion' && verdict === 'deny'));
    if (as !== 'truth' && counts) found.push(`${as} was accepted (${id}, question ${question})`);
    if (as === 'truth' && answer.is === 'accepted' && applied !== 1 && !isDone)
      found.push(`decision ${id} was accepted and applied ${applied} times`);
  }
  return found;
};

function faultsOfSettled(record: LedgerLine, records: readonly LedgerLine[], said: readonly SaidLine[]): string[] {
  const { decision, generation, at } = record;
  if (!decision) return ['a settled record without a decision'];
  const claim = claimsOf(records).findLast((one) => one.generation === generation);
  if (!claim) return [`decision ${decision.id} settles a generation that was never claimed`];
  const heard = said.filter(({ id, question }) => id === decision.id && question === decision.question);
  const horizon = (claim.sendBy ?? 0) + (claim.landsWithinMs ?? 0);
  const isEarly = decision.verdict === 'did-not-happen' && !decision.override && at < horizon;
  const isOther = decision.digest !== undefined && !claim.digest?.startsWith(decision.digest);
  return [
    ...(heard.every(({ answer }) => answer.is === 'refused')
      ? [`decision ${decision.id} is applied and nobody was told so`]
      : []),
    ...(isOther ? [`decision ${decision.id} is about other arguments`] : []),
    ...(isEarly ? [`decision ${decision.id} counts before the effect can no longer land`] : []),
  ];
}

/** A claim names the approvals that let it pass: of this call, with these arguments, given before it. */
function faultsOfLeave(claim: LedgerLine, records: readonly LedgerLine[]): string[] {
  const { call, execution, digest, counter, permits = [] } = claim;
  const begunBefore = claimsOf(records).some(
    (one) => one.call === call && one.execution === execution && one.counter < counter,
  );
  if (begunBefore) return [];
  const words = records.filter(({ is, decision }) => is === 'decided' && permits.includes(decision?.id ?? ''));
  const fits = words.filter(
    (word) =>
      word.call === call &&
      word.execution === execution &&
      word.digest === digest &&
      word.counter < counter &&
      word.decision?.verdict === 'approve',
  );
  if (permits.length === 0) return [`claim ${claim.claim} passed without leave`];
  return fits.length < permits.length
    ? [`claim ${claim.claim} passed with leave that was given for something else`]
    : [];
}

/** I7: the ledger only grows: counters without a gap, and what was there before is there unchanged. */
const appendOnly: Check = ({ before, records }) => {
  const found: string[] = [];
  for (const [task, mine] of Map.groupBy(records, (record) => record.task)) {
    const counters = mine.map(({ counter }) => counter).sort((a, b) => a - b);
    if (counters.some((counter, index) => counter !== index + 1))
      found.push(`task ${task} counts ${counters.join(', ')}`);
  }
  const now = new Map(records.map((record) => [`${record.task} ${record.counter}`, JSON.stringify(record)]));
  const changed = before.filter((record) => now.get(`${record.task} ${record.counter}`) !== JSON.stringify(record));
  return [...found, ...changed.map(({ task, counter }) => `record ${counter} of task ${task} is not what it was`)];
};

/** I8: no request without an attempt on record before it, under that attempt's key; no silent attempt without a reason. */
const onRecordBefore: Check = (evidence) => {
  const { planned, records, events, arrivals } = evidence;
  const begun = isWriter(evidence)
    ? claimsOf(records).map((claim) => ({ at: claim.at, key: wireKey(claim) }))
    : events
        .filter(({ type, kind }) => type === 'attempt-started' && kind === 'tool')
        .map(({ at, call }) => ({ at, key: sha([planned.id, call]) }));
  const found = arrivals.flatMap(({ at, key }, index) => {
    const attempts = begun.filter((attempt) => attempt.key === key && attempt.at <= at).length;
    const requests = arrivals.slice(0, index + 1).filter((arrival) => arrival.key === key).length;
    if (requests > attempts) return [`request ${index + 1} (key ${key}) has no attempt on record before it`];
    const newest = begun.findLast((attempt) => attempt.at <= at);
    return newest?.key === key ? [] : [`request ${index + 1} does not carry the key of the newest attempt`];
  });
  const ended = records.filter(({ is }) => is === 'not-executed').map(({ claim }) => claim);
  const sendable = claimsOf(records).filter(({ claim }) => !ended.includes(claim)).length;
  const unsent = sendable - arrivals.length - (UNSENT.includes(planned.boundary) ? 1 : 0);
  return unsent > 0 ? [...found, `${unsent} claims of which no server saw a request`] : found;
};

const INVARIANTS: Readonly<Record<string, Check>> = {
  I1: atMostOnce,
  I2: exactlyOnce,
  I4: doubtOnRecord,
  I5: decisionsApplied,
  I7: appendOnly,
  I8: onRecordBefore,
};

const STRIKES: Readonly<Record<string, string>> = {
  worker: 'SIGKILL',
  server: 'SIGKILL',
  ledger: 'locked',
  'worker-stopped': 'SIGSTOP',
};

const isHit = ({ planned, outcome }: Evidence): boolean =>
  outcome.reachedAt !== undefined && outcome.struckAt !== undefined && outcome.how === STRIKES[planned.victim];

/** I3: a run that was accepted has ended with an answer, or shows that it waits. */
function isLost({ outcome, history }: Evidence): boolean {
  if (outcome.acceptedAt === undefined && !history) return false;
  if (history?.at(-1)?.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED') return false;
  const shown = history?.map(statusShown).findLast((status) => status !== undefined);
  return shown !== 'waiting' || history?.at(-1)?.eventType.includes('EXECUTION_') === true;
}

const statusShown = ({ upsertWorkflowSearchAttributesEventAttributes: upsert }: HistoryEvent): unknown =>
  decode(upsert?.searchAttributes?.indexedFields?.['HoldfastStatus']);

function resultOf({ history }: Evidence): { readonly status: string; readonly text: string } | undefined {
  const payload = history?.at(-1)?.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
  return decode(payload) as { status: string; text: string } | undefined;
}

const decode = (payload: Payload | undefined): unknown =>
  payload?.data === undefined ? undefined : JSON.parse(Buffer.from(payload.data, 'base64').toString());

/** The model tells all replies it heard, as JSON. */
function lastReply(text: string): unknown {
  try {
    return (JSON.parse(text) as { status?: string }[]).at(-1)?.status;
  } catch {
    return undefined;
  }
}

function readEvidence(folder: string, planned: Case, payments: ReturnType<typeof readPayments>): Evidence {
  const place = join(folder, 'cases', planned.id);
  const lines = <T>(file: string): T[] =>
    existsSync(join(place, file))
      ? readFileSync(join(place, file), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as T)
      : [];
  const json = <T>(file: string): T | undefined =>
    existsSync(join(place, file)) ? (JSON.parse(readFileSync(join(place, file), 'utf8')) as T) : undefined;
  const events = lines<EventLine>('events.jsonl');
  const calls = new Set(events.map(({ call }) => sha([planned.id, call])));
  const histories = existsSync(place) ? readdirSync(place).filter((file) => file.startsWith('history-')) : [];
  return {
    planned,
    outcome: json<Outcome>('outcome.json') ?? {},
    before: lines('ledger-1.jsonl'),
    records: lines('ledger-2.jsonl'),
    said: lines('said.jsonl'),
    events,
    history: json<{ events: HistoryEvent[] }>(`history-${histories.length}.json`)?.events,
    // A request that only looks names no order in what the service keeps; its key is made of run and call.
    arrivals: payments.arrivals.filter(({ method, body, key }) =>
      method === 'POST' ? orderOf(body) === planned.order : calls.has(key ?? ''),
    ),
    effects: payments.effects.filter(({ orderId }) => orderId === planned.order),
  };
}

function orderOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { orderId?: unknown }).orderId;
  } catch {
    return undefined;
  }
}

function readPayments(file: string): { readonly arrivals: readonly Arrival[]; readonly effects: readonly Effect[] } {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const arrivals = database.prepare('SELECT at, method, key, bodyHash, body FROM arrivals ORDER BY seq').all();
  const effects = database.prepare('SELECT at, orderId, cents, key FROM effects ORDER BY seq').all();
  database.close();
  // The columns are those of the types; node:sqlite cannot know.
  const keySent = (key: unknown) => (typeof key === 'string' ? key.split(KEY_MARK)[0] : null);
  return {
    arrivals: arrivals.map((row) => ({ ...row, key: keySent(row['key']) })) as unknown as Arrival[],
    effects: effects as unknown as Effect[],
  };
}

function audit(folder: string) {
  const { cases, naive } = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')) as Plan;
  const payments = readPayments(join(folder, 'payments.db'));
  const isDouble = ({ order }: { order: string }) =>
    payments.effects.filter(({ orderId }) => orderId === order).length > 1;
  const all = cases.map((planned) => readEvidence(folder, planned, payments));
  const findings = all.flatMap((evidence): readonly Finding[] =>
    Object.entries(INVARIANTS).flatMap(([invariant, check]) => {
      const found = check(evidence);
      return found.length > 0 ? [{ case: evidence.planned.id, invariant, what: found.join('; ') }] : [];
    }),
  );
  return {
    cases: cases.length,
    hits: all.filter(isHit).length,
    broken: findings.length,
    effectsTwice: cases.filter(isDouble).length,
    lost: all.filter(isLost).length,
    naive: { effectsTwice: naive.filter(isDouble).length },
    missed: all.filter((evidence) => !isHit(evidence)).map(({ planned }) => planned.id),
    lostRuns: all.filter(isLost).map(({ planned }) => planned.id),
    findings,
  };
}

const verdict = audit(process.argv[2] ?? '.');
process.stdout.write(`${JSON.stringify(verdict)}\n`);
process.exitCode = Math.min(verdict.broken, 100);
