import type { LedgerKey } from '../contracts/ledger.ts';
import type { InquiryRequest, NewsRequest, RecordRequest, SettleRequest } from '../contracts/requests.ts';
import { askKey, type Standing } from '../policy/ask-key.ts';
import { foldKey, type KeyState } from '../policy/fold-key.ts';
import { needOf } from '../policy/need-of.ts';
import { termsOfKey } from '../policy/terms-of-key.ts';
import { settleKey, type Settlement } from '../policy/settle-key.ts';
import { refuseStranger } from './refuse-stranger.ts';
import { refuseForeign } from './check-ledger.ts';
import type { ActivityPorts } from './ports.ts';
import { writeRecord } from './write-record.ts';

/** What the ledger says of one schedule of a call; a schedule without a claim is withdrawn by the asking. */
export async function askLedger(ports: ActivityPorts, request: InquiryRequest): Promise<Standing> {
  await refuseForeign(ports, request.task, request.ledger);
  return decide(ports, request.key, (records) => askKey(records, request, ports.now()));
}

/** The state of a key for a run that waits for news of it. Reads only. */
export async function readNews(ports: ActivityPorts, request: NewsRequest): Promise<KeyState> {
  await refuseForeign(ports, request.task, request.ledger);
  return foldKey(await ports.ledger.read({ key: request.key }));
}

/** `refused`: whoever sent it may not decide this; on record. */
export type OutcomeSettled = Settlement | { readonly is: 'refused'; readonly why: string };

/** Gives a decision its place, once it is known to be its sender's; or says what stands instead. */
export async function settleOutcome(ports: ActivityPorts, request: SettleRequest): Promise<OutcomeSettled> {
  const { task, ledger, question, decision } = request;
  await refuseForeign(ports, task, ledger);
  const signed = request.signed || termsOfKey(await ports.ledger.read({ key: question.key })).signed;
  const why = await refuseStranger(ports, { ...request, signed }, question, decision);
  if (why !== undefined) return { is: 'refused', why };
  const { claim } = question;
  return decide(ports, question.key, (records) => {
    const { quorums } = termsOfKey(records);
    const need = needOf(question.amount, request.quorum, ports.approvals.quorum, ...quorums);
    return settleKey(records, decision, { now: ports.now(), need, claim });
  });
}

/** Writes a record that its own attempt could not write; returns its counter. Retried until it holds. */
export async function repeatRecord(ports: ActivityPorts, { entry, task, ledger }: RecordRequest): Promise<number> {
  await refuseForeign(ports, task, ledger);
  const written = await writeRecord(ports, entry, ports.now() + RECORD_TRY_MS);
  if ('record' in written) return written.record;
  throw new Error('The ledger did not take the record in time; it is tried again.');
}

const RECORD_TRY_MS = 4_000;

type Decide = Parameters<ActivityPorts['ledger']['decide']>[1];
type DecisionOver<Answer> = (records: Parameters<Decide>[0]) => {
  append: ReturnType<Decide>['append'];
  answer: Answer;
};

async function decide<Answer>(ports: ActivityPorts, key: LedgerKey, by: DecisionOver<Answer>): Promise<Answer> {
  const { answer } = await ports.ledger.decide(key, by);
  return answer;
}
