import { setTimeout as sleep } from 'node:timers/promises';
import { assertNever } from '../policy/assert-never.ts';
import { judgeKey, type KeyState } from './judge-key.ts';
import type { PaymentBook } from './payment-book.ts';
import { takeMode, type PaymentMode, type RefundTimes } from './payment-mode.ts';
import {
  refusal,
  toReply,
  toResult,
  turnAway,
  type PaymentReply,
  type PaymentResult,
  type WorkingMode,
} from './payment-reply.ts';
import type { Arrival } from './payment-rows.ts';
import { readRefund, type Refund } from './read-refund.ts';

export interface RefundDesk {
  /** Takes one `POST /refunds` whose arrival is on record. Rejects only when the service closes meanwhile. */
  take(arrival: Arrival): Promise<PaymentReply>;
  setModes(modes: readonly PaymentMode[]): void;
}

export interface RefundDeskOptions {
  readonly book: PaymentBook;
  readonly times: Required<RefundTimes>;
  readonly modes: readonly PaymentMode[];
  /** Aborted when the service closes: what has not landed by then never lands. */
  readonly closing: AbortSignal;
}

/** A refund that is to be made, and the mode it is made in. */
interface Job {
  readonly refund: Refund;
  readonly key: string | null;
  readonly fingerprint: string;
  readonly mode: WorkingMode;
}

/** Decides and makes refunds. Modes and refunds under way live in memory, like the queue of a real service. */
export function openRefundDesk({ book, times, closing, ...options }: RefundDeskOptions): RefundDesk {
  let modes = options.modes;
  const running = new Map<string, KeyState>();

  async function take(arrival: Arrival): Promise<PaymentReply> {
    const reading = readRefund(arrival.body);
    if (reading.is === 'invalid') return refusal(400, 'invalid_request_error', reading.message);
    const { key } = arrival;
    const fingerprint = JSON.stringify(reading.refund);
    const verdict = judgeKey(key === null ? { is: 'new' } : (running.get(key) ?? book.keyState(key)), fingerprint);
    switch (verdict.is) {
      case 'replay':
        return { ...verdict, is: 'answer', headers: { 'idempotent-replayed': 'true' } };
      case 'in-use':
        return refusal(409, 'idempotency_key_in_use', 'The first request with this key is still running.');
      case 'reused':
        return refusal(422, 'idempotency_error', 'This key was used with other parameters.');
      case 'act':
        return start(reading.refund, key, fingerprint);
      default:
        return assertNever(verdict);
    }
  }

  async function start(refund: Refund, key: string | null, fingerprint: string): Promise<PaymentReply> {
    const { mode, rest } = takeMode(modes);
    modes = rest;
    if (mode.is === 'turn-away') return turnAway(mode.status, mode.retryAfterS);
    if (mode.is === 'refuse') return refusal(400, 'invalid_request_error', 'The service refuses this refund.');
    const landsAfterMs = mode.landsAfterMs ?? times.landsAfterMs;
    const answersAfterMs = mode.answersAfterMs ?? times.answersAfterMs;
    const result = await land({ refund, key, fingerprint, mode }, landsAfterMs);
    await pass(answersAfterMs - landsAfterMs);
    return toReply(mode, result);
  }

  /** Until it has landed the key counts as running; from then on its result is stored. */
  async function land({ refund, key, fingerprint, mode }: Job, afterMs: number): Promise<PaymentResult> {
    if (key !== null) running.set(key, { is: 'running', fingerprint });
    try {
      await pass(afterMs);
      const acts = mode.is !== 'break' || mode.acts;
      const effect = acts ? { ...refund, at: Date.now() } : undefined;
      return book.commit({ effect, key, fingerprint, toResult: (made) => toResult(mode, made) });
    } finally {
      if (key !== null) running.delete(key);
    }
  }

  async function pass(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: closing });
  }

  return { take, setModes: (next) => void (modes = next) };
}
