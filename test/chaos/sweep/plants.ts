import { planCases } from './plan-cases.ts';
import type { SweepCase } from './sweep-case.ts';

/** One bug on purpose: a text that occurs once in a file of the sources, and what stands there instead. */
export interface Plant {
  readonly name: string;
  /** From the repository's root. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Ids of the cases that show it. */
  readonly cases: readonly string[];
}

/** Every way in which the rig is known to be able to fail. A plant is caught when an invariant breaks. */
export const PLANTS: readonly Plant[] = [
  {
    name: 'time-out-counts-as-not-sent',
    file: 'src/activities/failure-of-end.ts',
    from: `delivery: 'maybe-sent',
        message: \`\${tool.name} gave no answer`,
    to: `delivery: 'not-sent',
        message: \`\${tool.name} gave no answer`,
    cases: ['b12-unflagged-worker'],
  },
  {
    name: 'unsafe-tool-with-two-attempts',
    file: 'src/activities/act-once.ts',
    from: '() => tool.execute(ready.input, context)',
    to: '() => tool.execute(ready.input, context).finally(() => tool.execute(ready.input, context))',
    cases: ['b10-unflagged-worker'],
  },
  {
    name: 'intent-never-written-down',
    file: 'src/policy/admit.ts',
    from: 'append: [entry],',
    to: 'append: [],',
    cases: ['b9-unflagged-worker', 'b9-by-key-worker'],
  },
  {
    name: 'key-from-attempt-number',
    file: 'src/activities/act-once.ts',
    from: 'wireKey(plan.key, admission.generation,',
    to: 'wireKey(plan.key, admission.attempt,',
    cases: ['b9-by-key-worker'],
  },
  {
    name: 'generation-not-in-key',
    file: 'src/activities/digest.ts',
    from: 'generation === 1 ? [scope, intent] : [scope, intent, generation]',
    to: '[scope, intent]',
    cases: ['b7b-unflagged-worker', 'b8x-unflagged-worker'],
  },
  {
    name: 'stored-arguments-not-used',
    file: 'src/policy/admit.ts',
    from: 'held?.input ?? request.input',
    to: 'request.input',
    cases: ['b8x-idempotent-worker'],
  },
  {
    name: 'withdrawn-schedule-still-claims',
    file: 'src/policy/admit.ts',
    from: "if (isWithdrawn) return answer({ is: 'withdrawn' });",
    to: 'void isWithdrawn;',
    cases: ['b7-unflagged-worker-stopped'],
  },
  {
    name: 'claim-ignored-on-asking',
    file: 'src/policy/ask-key.ts',
    from: 'isOwn(r, inquiry) && r.schedule === inquiry.schedule);\n  switch',
    to: 'isOwn(r, inquiry) && r.schedule < 0);\n  switch',
    cases: ['b9-unflagged-worker', 'b7b-unflagged-worker'],
  },
  {
    name: 'done-recorded-as-not-executed',
    file: 'src/activities/act-once.ts',
    from: "const statement = { is: 'done', claim: claimed.claim.id, result, late: false } as const;",
    to: "const statement = { is: 'not-executed', claim: claimed.claim.id, proof: '', sent: false, definite: false } as const;",
    cases: ['b10-unflagged-worker', 'b10-by-key-worker'],
  },
  {
    name: 'unknown-mapped-to-failed',
    file: 'src/policy/next-progress.ts',
    from: "case 'unknown':\n      return asking(moment, verdict.failure, verdict);",
    to: "case 'unknown':\n      return { is: 'closed', reply: { status: 'failed', message: verdict.failure.message, retryable: false } };",
    cases: ['b8x-unflagged-server', 'b8x-unflagged-ledger'],
  },
  {
    name: 'did-not-happen-before-horizon',
    file: 'src/policy/accept-decision.ts',
    from: 'now < question.horizon',
    to: 'now < 0',
    cases: ['b12-unflagged-worker', 'b12-by-key-worker'],
  },
  {
    name: 'outcome-digest-not-checked',
    file: 'src/policy/fault-of-decision.ts',
    from: 'digest === undefined || digest === question.digest',
    to: 'digest !== question.id',
    cases: ['b12-unflagged-worker'],
  },
  {
    name: 'second-decision-also-accepted',
    file: 'src/policy/accept-decision.ts',
    from: 'if (standing) {',
    to: 'if (standing && now < 0) {',
    cases: ['b13-unflagged-worker', 'b13-by-key-worker'],
  },
  {
    name: 'any-question-will-do',
    file: 'src/policy/accept-decision.ts',
    from: 'const question = questions.find(({ id }) => id === message.question);',
    to: 'const [question] = questions;',
    cases: ['b12-unflagged-worker'],
  },
  {
    name: 'ledger-away-and-sent-anyway',
    file: 'src/activities/claim-attempt.ts',
    from: 'if (!(error instanceof LedgerUnavailable)) throw error;',
    to: `if (error instanceof LedgerUnavailable) {
      const at = ports.now();
      const admission = { is: 'go', generation: 1, input: request.plan.input, sameInput: true, attempt: 1, worst: 'not-sent', secret: undefined } as const;
      return { id: 'none', at, sendBy: at + tool.timeoutMs, admission, gate: { because: [], need: 1, rules: [] }, record: undefined };
    }`,
    cases: ['b7-unflagged-ledger'],
  },
  {
    name: 'request-after-its-time',
    file: 'src/middleware/tool-fetch.ts',
    from: 'if (changes && options.now() >= options.sendBy)',
    to: 'if (changes && options.now() < 0)',
    cases: ['b7c-unflagged-worker-stopped'],
  },
  {
    name: 'pending-record-never-written',
    file: 'src/workflows/attempt-call.ts',
    from: 'if (envelope.pending) await writePending(run, envelope.pending);',
    to: '',
    cases: ['b10a-unflagged-ledger', 'b10a-by-key-ledger'],
  },
  {
    name: 'counter-with-gaps',
    file: 'src/stores/sqlite-ledger.ts',
    from: 'const row = toRow(entry, selectCounter(database, entry.task) + 1);',
    to: "database.exec('DROP TRIGGER IF EXISTS records_come_in_order');\n  const row = toRow(entry, selectCounter(database, entry.task) + 2);",
    cases: ['b10-unflagged-worker'],
  },
  {
    name: 'approval-lets-every-call-pass',
    file: 'src/policy/weigh-leave.ts',
    from: 'record.generation === generation && isOwn(record, call) && record.digest === call.digest',
    to: 'record.digest === call.digest',
    cases: ['b8p-unflagged-worker'],
  },
  {
    name: 'approval-asked-and-not-awaited',
    file: 'src/policy/weigh-leave.ts',
    from: 'if (agreed.size >= need)',
    to: 'if (agreed.size >= 0)',
    cases: ['b12p-unflagged-worker', 'b13p-unflagged-worker'],
  },
];

/** The cases a plant is shown by. @throws for an id that names none. */
export function casesOf({ name, cases }: Plant): readonly SweepCase[] {
  const all = planCases();
  return cases.map((id) => {
    const found = all.find((planned) => planned.id === id);
    if (!found) throw new Error(`Plant ${name} names a case that does not exist: ${id}.`);
    return found;
  });
}
