import type { RequestAnswer } from '../contracts/fetch-record.ts';
import type { ErrorFacts } from './error-facts.ts';

/** Refused or never routed: nothing of the request left. It may go through later. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** The TLS handshake failed for a reason that stays: nothing of the request left, and it will not next time. */
const HANDSHAKE =
  /^(CERT_|ERR_TLS_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_SSL_WRONG_VERSION|ERR_SSL_.*ALERT_HANDSHAKE)/;

/** Refused by our own client before any connection: a port browsers may not use, a URL it cannot read. */
const NEVER_TRIED = ['bad port', 'unknown scheme', 'Failed to parse URL', 'Invalid URL'];

/** How a request without an answer ended, judged by the phase it had reached. When in doubt: it may have been sent. */
export function answerOfError({ codes, messages, message }: ErrorFacts): RequestAnswer {
  if (codes.some((code) => NOT_CONNECTED.includes(code))) return { is: 'not-sent', why: message, isLasting: false };
  if (codes.some((code) => HANDSHAKE.test(code))) return { is: 'not-sent', why: message, isLasting: true };
  const isNeverTried = messages.some((text) => NEVER_TRIED.some((start) => text.startsWith(start)));
  if (isNeverTried || codes.includes('ERR_INVALID_URL')) return { is: 'not-sent', why: message, isLasting: true };
  return { is: 'lost', why: message };
}
