/** Where a store is. `shared`: its owner says that every worker uses this very store. */
export interface StoreAddress {
  readonly scheme: string;
  readonly path: string;
  /** What follows `?`. A store on a local disk knows `shared` only; any other reads its own. */
  readonly options: string;
  readonly shared: boolean;
}

/** Reads `SCHEME:PATH` or `SCHEME:PATH?OPTIONS`. @throws when it is neither; the scheme is not judged here. */
export function parseStoreAddress(address: string): StoreAddress {
  const parts = /^(?<scheme>[a-z][a-z0-9+-]+):(?<path>[^?]+)(?:\?(?<options>.*))?$/s.exec(address)?.groups;
  if (parts?.scheme === undefined || parts.path === undefined) {
    throw new Error(
      `Cannot open store: "${withoutPassword(address)}" is not an address. Use SCHEME:PATH, for example sqlite:data/ledger.db.`,
    );
  }
  const { scheme, path, options = '' } = parts;
  return { scheme, path, options, shared: LOCAL_SCHEMES.includes(scheme) && readShared(options) };
}

/** The address as it may be shown: what stands where a password can stand is left out. */
export function withoutPassword(address: string): string {
  if (LOCAL_SCHEMES.some((scheme) => address.startsWith(`${scheme}:`))) return address;
  // Up to the last @: a password that was not written as a URL wants it may hold any sign.
  return address
    .replace(/^((?:[a-z][a-z0-9+-]*:)?(?:\/\/)?[^:/@?#]*):(?!\/\/).*@/is, '$1:…@')
    .replace(/(password=)[^&]*/gi, '$1…');
}

/**
 * Refuses a store on this machine's disk for a Temporal server on another one: workers elsewhere would each keep a ledger
 * of their own, and the same effect would happen twice. Both as configured: `sqlite:PATH`, `host:port`. Pure.
 */
export function refuseUnsharedStore(address: string, temporalAddress: string): void {
  const { scheme, path, shared } = parseStoreAddress(address);
  if (shared || !LOCAL_SCHEMES.includes(scheme) || isLoopback(temporalAddress)) return;
  throw new Error(
    `Cannot use store ${address} with Temporal at ${temporalAddress}: workers on other machines would not see it. ` +
      `${INSTEAD[scheme] ?? ''}If every worker runs on this machine, say so with ${scheme}:${path}?shared=true.`,
  );
}

const LOCAL_SCHEMES: readonly string[] = ['sqlite', 'file'];

const INSTEAD: Readonly<Record<string, string>> = Object.freeze({
  sqlite: 'Use postgres://USER@HOST/DATABASE instead. ',
});

function readShared(options: string): boolean {
  if (options === '' || options === 'shared=false') return false;
  if (options === 'shared=true') return true;
  throw new Error(`Cannot open store: unknown option "?${options}". Use ?shared=true or nothing.`);
}

function isLoopback(temporalAddress: string): boolean {
  const host = hostOf(temporalAddress).toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Of `host`, `host:port`, `[::1]:port` or `::1`, with or without `http://`. */
function hostOf(temporalAddress: string): string {
  const address = temporalAddress.replace(/^[a-z]+:\/\//i, '');
  const bracketed = /^\[([^\]]*)\]/.exec(address)?.[1];
  return bracketed ?? /^[^:/]+(?=$|[:/])/.exec(address)?.[0] ?? address;
}
