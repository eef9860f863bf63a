import type { KeptAnswer, KeyTaken } from './key-store.ts';

/** What is on record of a key. Times in epoch milliseconds. */
export type KeyRecord =
  | { readonly is: 'started'; readonly digest: string; readonly leaseUntil: number }
  | { readonly is: 'answered'; readonly digest: string; readonly answeredAt: number; readonly answer: KeptAnswer };

/** How a key stands for a request with this digest. `free`: it is new, or its answer has been kept for long enough. */
export function judgeKey(
  record: KeyRecord | undefined,
  digest: string,
  { now, expireAfterMs }: { readonly now: number; readonly expireAfterMs: number },
): { readonly is: 'free' } | KeyTaken {
  if (!record) return { is: 'free' };
  if (record.is === 'answered' && now >= record.answeredAt + expireAfterMs) return { is: 'free' };
  if (record.digest !== digest) return { is: 'reused' };
  if (record.is === 'answered') return { is: 'answered', answer: record.answer };
  // Never free by time: work that did not say how it ended may have acted.
  return now < record.leaseUntil ? { is: 'running' } : { is: 'doubtful' };
}
