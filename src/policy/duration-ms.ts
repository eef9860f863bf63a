import type { Duration } from '../contracts/duration.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Milliseconds of a duration. `what` names the field in the error: a duration is always somebody's setting. */
export function durationMs(duration: Duration, what: string): number {
  const [, amount, unit] = typeof duration === 'string' ? (PATTERN.exec(duration.trim()) ?? []) : [];
  const ms = typeof duration === 'number' ? duration : Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (Number.isFinite(ms) && ms > 0 && ms <= Number.MAX_SAFE_INTEGER) return Math.max(1, Math.round(ms));
  throw new Error(
    `${what} is ${JSON.stringify(duration)}, which is not a duration. Write milliseconds or a number with a unit: '250ms', '30s', '10m', '20h', '7d'.`,
  );
}
