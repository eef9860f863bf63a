import { isRecord } from './parse-json.ts';

/** How long a refund takes, both counted from its arrival. Default: what the service was started with. */
export interface RefundTimes {
  /** When the effect is committed. */
  readonly landsAfterMs?: number;
  /** When the answer goes out; never before the effect has landed. */
  readonly answersAfterMs?: number;
}

/**
 * What the service does with a new refund request. `times`: for so many requests, then the next mode of the list holds;
 * without it, for all that follow. Requests answered by a key's rules, and invalid ones, use up nothing.
 *
 * - `answer`: acts and answers.
 * - `hang`: acts and never answers. `reset`: acts and resets the connection. `unreadable`: acts and answers 200 with a
 *   body that is not JSON. With a key, the result is stored all the same and a second request gets it.
 * - `break`: answers 500, which is stored with the key; whether it acted is in `acts`.
 * - `turn-away`: answers `status` before anything is looked at; nothing happens, nothing is stored.
 * - `refuse`: answers 400; nothing happens, nothing is stored.
 */
export type PaymentMode = { readonly times?: number } & (
  | ({ readonly is: 'answer' | 'hang' | 'reset' | 'unreadable' } & RefundTimes)
  | ({ readonly is: 'break'; readonly acts: boolean } & RefundTimes)
  | { readonly is: 'turn-away'; readonly status: 429 | 503; readonly retryAfterS?: number }
  | { readonly is: 'refuse' }
);

/** The mode of the next new request, and the list as it stands after it. An empty list answers. */
export function takeMode(modes: readonly PaymentMode[]): {
  readonly mode: PaymentMode;
  readonly rest: readonly PaymentMode[];
} {
  const [mode, ...later] = modes.filter(({ times }) => times === undefined || times > 0);
  if (!mode) return { mode: { is: 'answer' }, rest: [] };
  return { mode, rest: mode.times === undefined ? [mode, ...later] : [{ ...mode, times: mode.times - 1 }, ...later] };
}

/** The modes in the body of `POST /modes`, or undefined when it is not a list of them. */
export function readModes(value: unknown): readonly PaymentMode[] | undefined {
  return Array.isArray(value) && value.every(isMode) ? value : undefined;
}

function isMode(value: unknown): value is PaymentMode {
  if (!isRecord(value)) return false;
  const numbers = [value.times, value.landsAfterMs, value.answersAfterMs, value.retryAfterS];
  if (!numbers.every((number) => number === undefined || (typeof number === 'number' && number >= 0))) return false;
  switch (value.is) {
    case 'answer':
    case 'hang':
    case 'reset':
    case 'unreadable':
    case 'refuse':
      return true;
    case 'break':
      return typeof value.acts === 'boolean';
    case 'turn-away':
      return value.status === 429 || value.status === 503;
    default:
      return false;
  }
}
