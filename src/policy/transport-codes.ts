import type { FailureReason } from '../contracts/failure.ts';

/** What a code of the transport says. `sent`: can the request have reached the server? `maybe` becomes `yes` once it has answered. */
export interface TransportFault {
  readonly reason: FailureReason;
  readonly sent: 'yes' | 'no' | 'maybe';
}

const fault = (reason: FailureReason, sent: TransportFault['sent']): TransportFault => ({ reason, sent });

/** First match wins. Codes of Node's sockets, resolver and TLS, of undici and of llhttp. */
const CODES: readonly (readonly [RegExp, TransportFault])[] = [
  [/^(ENOTFOUND|EAI_[A-Z]+|ENODATA|ESERVFAIL)$/, fault('dns', 'no')],
  [/^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, fault('network', 'no')],
  [/^(UND_ERR_CONNECT_TIMEOUT|ERR_TLS_HANDSHAKE_TIMEOUT)$/, fault('network', 'no')],
  [/^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/, fault('timeout', 'yes')],
  [/^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)/, fault('network', 'yes')],
  [/^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI|ERR_ZSTD)/, fault('bad-response', 'yes')],
  [
    /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_|CERT_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/,
    fault('tls-config', 'no'),
  ],
  [
    /^ERR_SSL_.*(BAD_RECORD_MAC|DECRYPT_ERROR|DECODE_ERROR|UNEXPECTED_MESSAGE|INTERNAL_ERROR)/,
    fault('tls-record', 'maybe'),
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|.*ALERT_|.*UNSUPPORTED_PROTOCOL|.*NO_PROTOCOLS)/,
    fault('tls-config', 'no'),
  ],
  [/^ERR_TLS_/, fault('tls-config', 'no')],
  [/^(ERR_SSL_|EPROTO$)/, fault('tls-record', 'maybe')],
  [/^ERR_INVALID_URL/, fault('config', 'no')],
  [
    /^(ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|UND_ERR_|ERR_HTTP2_|ERR_STREAM_PREMATURE_CLOSE)/,
    fault('network', 'maybe'),
  ],
];

/** What has no code, by the message of the error behind it: words of undici and of the platform's `fetch`. */
const MESSAGES: readonly (readonly [RegExp, TransportFault])[] = [
  [/wrong version number|packet length too long/i, fault('tls-config', 'no')],
  [/^(bad port|unknown scheme|failed to parse url|invalid url)/i, fault('config', 'no')],
  [/before secure TLS connection was established/i, fault('network', 'no')],
];

const LATER_MESSAGES: readonly (readonly [RegExp, TransportFault])[] = [
  [/^(terminated|other side closed|socket hang up)/i, fault('network', 'maybe')],
];

/** An address that took too long to connect to was never sent anything; the same code of a read says nothing. */
const CONNECTING = 'connect';

/**
 * What the errors of a chain say of the transport; undefined when it is none of its business. Pieces of a stream are no errors of
 * ours: their codes are the provider's.
 */
export function readTransportFault(links: readonly Readonly<Record<string, unknown>>[]): TransportFault | undefined {
  const errors = links.filter((link) => 'stack' in link);
  const messages = errors.map(({ message }) => (typeof message === 'string' ? message : ''));
  return (
    byMessage(messages, MESSAGES) ??
    byCode(errors) ??
    (errors.some(({ name }) => name === 'HTTPParserError') ? fault('network', 'yes') : undefined) ??
    byMessage(messages, LATER_MESSAGES)
  );
}

function byMessage(messages: readonly string[], table: typeof MESSAGES): TransportFault | undefined {
  return table.find(([words]) => messages.some((message) => words.test(message)))?.[1];
}

function byCode(links: readonly Readonly<Record<string, unknown>>[]): TransportFault | undefined {
  for (const { code, syscall } of links) {
    if (typeof code !== 'string') continue;
    const found = CODES.find(([pattern]) => pattern.test(code))?.[1];
    if (found) return code === 'ETIMEDOUT' && syscall === CONNECTING ? fault('network', 'no') : found;
  }
  return undefined;
}
