import { generate } from 'selfsigned';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;

/** A certificate of the named kind, made anew. `good`: for localhost, valid for a day. */
export async function makeCertificate(kind: 'good' | 'selfsigned' | 'expired' | 'wronghost'): Promise<Certificate> {
  const host = kind === 'wronghost' ? 'other.example' : 'localhost';
  const now = Date.now();
  const notAfterDate = new Date(kind === 'expired' ? now - DAY_MS : now + DAY_MS);
  const pems = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 10 * DAY_MS),
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
    ],
  });
  return { key: pems.private, cert: pems.cert };
}
