import type { ApprovalRule } from '../contracts/approval.ts';
import type { Money } from '../contracts/bill.ts';
import type { RunCost } from '../contracts/cost.ts';
import type { StoredEvent, Usage } from '../contracts/events.ts';
import type { LedgerRecord } from '../contracts/ledger.ts';
import type { ModelReply } from '../contracts/model-reply.ts';
import type { Question } from '../contracts/question.ts';
import type { CallView, RefusedDecision, RunView, Spend } from '../contracts/run.ts';
import type { RunRow } from '../client/list-runs.ts';
import { moneyIn } from '../policy/run-bills.ts';
import { ledgerOfCalls, type LedgerOfCall } from './ledger-of-calls.ts';
import { readRefused, readWords, type ToldWord } from './read-words.ts';
import { ATTEMPT_WORDS } from './screens/outcome-words.ts';
import { readAttempts, tokensOf, type AttemptsOfCall, type AttemptReport } from './read-attempts.ts';

/** One model or tool call of a run with all its attempts. Times are epoch milliseconds. */
export interface CallReport {
  readonly call: string;
  readonly turn: number;
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly intent?: string;
  /** As the run calls it, or, without its word, as the records have it. */
  readonly state: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly attempts: readonly AttemptReport[];
  /** What the model was told. */
  readonly reply?: ModelReply;
  readonly usage?: Usage;
  /** The open question about this call, and what it asks. */
  readonly question?: string;
  readonly asks?: Question['kind'];
}

/** A run as it can be told: by itself, or, when no worker answers for it, by what others have on record. */
export interface RunReport {
  readonly run: string;
  readonly agent: string;
  readonly taskId: string;
  readonly status: string;
  readonly turn: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly toldBy: 'run' | 'records';
  readonly spend: Spend;
  /** As in `RunResult`. */
  readonly answerCost?: Money;
  readonly calls: readonly CallReport[];
  readonly questions: readonly Question[];
  /** It asks itself, and an unsigned word counts: `abort` would end it. */
  readonly canAbort: boolean;
  readonly refused: readonly RefusedDecision[];
  /** What people said about its calls. */
  readonly words: readonly ToldWord[];
  /** Remembered approvals of the run's task. */
  readonly rules: readonly ApprovalRule[];
  readonly answer?: string;
  /** Why it failed as a workflow. */
  readonly failure?: string;
  readonly webUrl?: string;
}

/** What is known of a run: `row` by the server, `view` by its worker, the rest by the stores. */
export interface RunSources {
  readonly row: RunRow;
  readonly view: RunView | undefined;
  readonly events: readonly StoredEvent[];
  readonly records: readonly LedgerRecord[];
  /** By its events, corrections that came after its end included. */
  readonly cost: RunCost | undefined;
  readonly failure: string | undefined;
  /** Deciders are configured. */
  readonly signed: boolean;
  readonly webUrl: string | undefined;
  readonly now: number;
}

/** Joins the sources. The run's own word comes first; what it does not say, the event store and the ledger do. */
export function reportRun({ row, view, events, records, cost, failure, signed, webUrl, now }: RunSources): RunReport {
  const attempts = readAttempts(events);
  const ledger = ledgerOfCalls(records, now);
  // A run that has ended asks no longer; what it left open, the ledger still asks.
  const isAsking = view !== undefined && row.closedAt === undefined;
  const questions = isAsking ? view.questions : [...ledger.values()].flatMap(({ question }) => question ?? []);
  const answer = view?.answer ?? events.findLast((event) => event.type === 'said')?.text;
  const calls = view
    ? view.calls.map((call) => ownWord(call, attempts.get(call.call), questions))
    : [...attempts.values()].map((call) => onRecord(call, ledger.get(call.call)));
  return {
    run: row.run,
    agent: view?.agent || row.agent || agentOf(events),
    taskId: view?.taskId || row.taskId,
    // A run that was ended from outside never said so itself.
    status: row.closedAt === undefined ? (view?.status ?? row.status) : row.status,
    turn: view?.turn ?? Math.max(0, ...calls.map(({ turn }) => turn)),
    startedAt: view?.startedAt ?? row.startedAt,
    ...(row.closedAt !== undefined && { endedAt: row.closedAt }),
    toldBy: view ? 'run' : 'records',
    ...spentOf(view, cost, events),
    calls: calls.map((call) => closeEdited(call, calls)).sort((a, b) => a.turn - b.turn || a.startedAt - b.startedAt),
    questions,
    canAbort: isAsking && !signed,
    refused: view?.refused ?? readRefused(records),
    words: readWords(records, events),
    rules: records.filter((record) => record.is === 'ruled').map(({ rule }) => rule),
    ...(answer !== undefined && { answer }),
    ...(failure !== undefined && { failure }),
    ...(webUrl !== undefined && { webUrl }),
  };
}

/**
 * The run adds up what its calls said. Its events have what was corrected since; but some may have been lost, and who reads them may
 * not know the prices that the run's worker has.
 */
function spentOf(
  view: RunView | undefined,
  cost: RunCost | undefined,
  events: readonly StoredEvent[],
): Pick<RunReport, 'spend' | 'answerCost'> {
  const spend = view?.spend ?? tokensOf(events);
  const { requests = 0, unknown = Infinity } = spend.cost ?? {};
  if (cost && cost.spend.requests >= requests && cost.spend.unknown <= unknown) {
    return { spend: { ...spend, cost: moneyIn(cost.spend) }, answerCost: moneyIn(cost.answer) };
  }
  return { spend, ...(view?.answerCost && { answerCost: view.answerCost }) };
}

function ownWord(view: CallView, recorded: AttemptsOfCall | undefined, questions: readonly Question[]): CallReport {
  const { question, ...call } = view;
  const open = questions.find(({ id }) => id === question);
  const { attempts = [], reply } = recorded ?? {};
  return { ...call, attempts, ...(reply && { reply }), ...(open && { question: open.id, asks: open.kind }) };
}

/** A call that was approved with other arguments is another one from then on, and known by an id of its own. */
function closeEdited(call: CallReport, calls: readonly CallReport[]): CallReport {
  const next = calls.find((one) => one.call === `${call.call}e`);
  return next ? { ...call, state: 'other arguments approved', endedAt: next.startedAt } : call;
}

function onRecord({ attempts, ...call }: AttemptsOfCall, ledger: LedgerOfCall | undefined): CallReport {
  const last = attempts.at(-1);
  const state = ledger?.state ?? call.reply?.status ?? STATES[last?.outcome ?? 'open'];
  const usage = attempts.findLast((attempt) => attempt.usage)?.usage;
  return {
    ...call,
    state,
    attempts,
    startedAt: attempts[0]?.startedAt ?? 0,
    ...(last?.endedAt !== undefined && { endedAt: last.endedAt }),
    ...(usage && { usage }),
    ...(ledger?.question && { question: ledger.question.id, asks: ledger.question.kind }),
  };
}

const STATES = { open: 'began, no end on record', ...ATTEMPT_WORDS } as const;

const agentOf = (events: readonly StoredEvent[]): string =>
  events.find((event) => event.type === 'run-started')?.agent ?? '';
