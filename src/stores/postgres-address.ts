import { withoutPassword, type StoreAddress } from './store-address.ts';

/** A place in a PostgreSQL database. */
export interface PostgresAddress {
  /** For the driver. It may hold the password: never show it. */
  readonly connection: string;
  /** Plain letters, so that it may stand in a statement as it is. */
  readonly schema: string;
  /** For messages: without the password. */
  readonly label: string;
}

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`. `postgres:DATABASE` and what else is not named comes from
 * PGHOST, PGUSER, PGPASSWORD and so on, which the driver reads. @throws when it cannot be one; the message shows no password.
 */
export function parsePostgresAddress({ path, options }: StoreAddress): PostgresAddress {
  const whole = `postgres:${path.startsWith('//') ? path : `///${path}`}`;
  const label = withoutPassword(options === '' ? whole : `${whole}?${options}`);
  const url = URL.parse(whole);
  if (url?.hash !== '') throw new Error(`Cannot open store: "${label}" is no address of PostgreSQL. ${FORM}`);
  const chosen = new URLSearchParams(options);
  const schema = chosen.get('schema') ?? 'holdfast';
  refuseUnknown(chosen, label);
  refuseOddSchema(schema);
  chosen.delete('schema');
  if (VERIFIED.includes(chosen.get('sslmode') ?? '')) chosen.set('sslmode', 'verify-full');
  url.search = chosen.toString();
  return { connection: url.href, schema, label };
}

const FORM =
  'Use postgres://USER@HOST:PORT/DATABASE; in a password, signs such as / : @ ? # % are written as %2F, %3A, %40, %3F, %23, %25.';

/** `host`: the folder of a socket. The rest as in PostgreSQL's own addresses. */
const OPTIONS: readonly string[] = ['schema', 'host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
/** The driver checks the certificate in all of these, and warns of those that once did not. */
const VERIFIED: readonly string[] = ['require', 'verify-ca'];
const SSL_MODES: readonly string[] = ['disable', 'no-verify', 'verify-full', ...VERIFIED];

function refuseUnknown(chosen: URLSearchParams, label: string): void {
  // Named by the address as a whole: what stands behind a ? may be the rest of a password.
  if ([...chosen.keys()].some((name) => !OPTIONS.includes(name))) {
    throw new Error(`Cannot open store: unknown option in "${label}". Known are ${OPTIONS.join(', ')}. ${FORM}`);
  }
  const sslMode = chosen.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) {
    throw new Error(`Cannot open store: unknown sslmode "${sslMode}". Use one of ${SSL_MODES.join(', ')}.`);
  }
}

function refuseOddSchema(schema: string): void {
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(schema)) return;
  throw new Error(
    `Cannot open store: "${schema}" is no name for a schema. Use small letters, digits and _, for example ?schema=holdfast.`,
  );
}
