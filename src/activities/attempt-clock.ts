import { AttemptTimeout } from '../contracts/attempt-timeout.ts';

/** The time of one attempt. */
export interface AttemptClock {
  /** Aborted with AttemptTimeout when the attempt's own time is over, or with the caller's reason. */
  readonly signal: AbortSignal;
  stop(): void;
}

export function attemptClock(timeoutMs: number, caller: AbortSignal): AttemptClock {
  const own = new AbortController();
  const timer = setTimeout(() => {
    own.abort(new AttemptTimeout(`no whole answer within the attempt's own ${timeoutMs / 60_000} min`));
  }, timeoutMs);
  return {
    signal: AbortSignal.any([own.signal, caller]),
    stop: () => {
      clearTimeout(timer);
    },
  };
}
