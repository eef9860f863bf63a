/** Where a store is. `shared`: its owner says that every worker uses this very store. */
export interface StoreAddress {
  readonly scheme: string;
  readonly path: string;
  readonly shared: boolean;
}

/** Reads `SCHEME:PATH` or `SCHEME:PATH?shared=true`. @throws when it is neither; the scheme is not judged here. */
export function parseStoreAddress(address: string): StoreAddress {
  const parts = /^(?<scheme>[a-z][a-z0-9+-]+):(?<path>[^?]+)(?:\?(?<options>.*))?$/s.exec(address)?.groups;
  if (parts?.scheme === undefined || parts.path === undefined) {
    throw new Error(
      `Cannot open store: "${address}" is not an address. Use SCHEME:PATH, for example sqlite:data/ledger.db.`,
    );
  }
  return { scheme: parts.scheme, path: parts.path, shared: readShared(parts.options) };
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
      `If every worker runs on this machine, say so with ${scheme}:${path}?shared=true.`,
  );
}

const LOCAL_SCHEMES: readonly string[] = ['sqlite', 'file'];

function readShared(options: string | undefined): boolean {
  if (options === undefined || options === 'shared=false') return false;
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
