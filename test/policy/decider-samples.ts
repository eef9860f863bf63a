import type { Decider } from '../../src/contracts/decider.ts';
import type { DecideApproval, ResolveOutcome } from '../../src/contracts/messages.ts';
import { makeEd25519Key } from '../../src/policy/ed25519-key.ts';
import type { Asked } from '../../src/policy/signed-text.ts';

export const seed = (fill: number) => new Uint8Array(32).fill(fill);

export const ANNA_KEY = await makeEd25519Key(seed(1));
export const BEN_KEY = await makeEd25519Key(seed(2));
export const OPS_SECRET = 'ops-secret-ops-secret-ops-secret-ops';

export const anna: Decider = { name: 'anna', key: ANNA_KEY.public };
export const ben: Decider = { name: 'ben', key: BEN_KEY.public, agents: ['support'], tools: ['refund'] };
export const ops: Decider = { name: 'ops', key: 'hmac:OPS_SECRET', kinds: ['outcome'] };

export const asked: Asked = { namespace: 'default', run: 'refund-A-1042', kind: 'outcome' };

export const resolved: ResolveOutcome = {
  id: 'd-1',
  question: 'qabcdef',
  verdict: 'happened',
  result: { id: 're_1', cents: 4_900 },
  then: 'tell-model',
  override: false,
  by: 'anna',
  reason: 'seen in the dashboard',
  evidence: 'https://pay.example/re_1',
  digest: '0123456789abcdef',
};

export const approved: DecideApproval = {
  id: 'd-2',
  question: 'qghjkmn',
  verdict: 'approve',
  input: { orderId: 'A-1042', amount: 20 },
  remember: { where: { orderId: 'A-1042' } },
  by: 'anna',
  reason: 'small enough',
  evidence: 'ticket 7',
  digest: 'fedcba9876543210',
};
