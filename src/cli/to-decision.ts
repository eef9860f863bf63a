import { userInfo } from 'node:os';
import type { DecisionInput } from '../client/run-handle.ts';
import type { OutcomeVerdict } from '../contracts/decision.ts';
import type { Json } from '../contracts/json.ts';
import { UsageError } from './usage-error.ts';

export interface ResolveInput {
  readonly question: string;
  readonly verdict: OutcomeVerdict;
  readonly reason?: string;
  readonly result?: Json;
  readonly evidence?: string;
  readonly then?: 'retry' | 'tell-model';
  readonly by?: string;
  readonly run?: string;
  readonly digest?: string;
  readonly override?: boolean;
  readonly key?: string;
}

/** A decision that still lacks its question's full id. */
export type Decided = Omit<DecisionInput, 'question'>;

/** @throws UsageError when the options do not make a decision. */
export function toDecision(input: ResolveInput): Decided {
  const { verdict, reason, result, then, evidence, digest, override, by = userInfo().username } = input;
  if (reason === undefined) throw new UsageError('a decision needs a reason. Add --reason "how you know"; it is kept.');
  refuseMisplaced(input);
  return {
    verdict,
    reason,
    by,
    ...(result !== undefined && { result }),
    ...(then !== undefined && { then }),
    ...(evidence !== undefined && { evidence }),
    ...(digest !== undefined && { digest }),
    ...(override !== undefined && { override }),
  };
}

/** What the run would ignore, a person may have relied on. */
function refuseMisplaced({ verdict, result, then, override }: ResolveInput): void {
  if (verdict === 'happened' && result === undefined) {
    throw new UsageError(
      'happened needs a result: what the tool would have returned.\n' +
        '  Add --result \'{"id":"re_1"}\', or --result null when there is nothing to give.',
    );
  }
  const misplaced = [
    ...(verdict !== 'happened' && result !== undefined ? ['--result goes with happened'] : []),
    ...(verdict !== 'did-not-happen' && then !== undefined ? ['--then goes with did-not-happen'] : []),
    ...(verdict !== 'did-not-happen' && override ? ['--override goes with did-not-happen'] : []),
  ];
  if (misplaced[0] !== undefined) throw new UsageError(`${misplaced[0]}, not with ${verdict}. Leave it out.`);
}
