import { gunzipSync, gzipSync } from 'node:zlib';
import type { Payload, PayloadCodec } from '@temporalio/common';

const MARK = 'compressed';

/** A payload codec of your own: everything that workflows and activities say to each other is kept compressed. */
export const gzipCodec: PayloadCodec = {
  encode: async (payloads) => payloads.map(compress),
  decode: async (payloads) => payloads.map((payload) => (isCompressed(payload) ? expand(payload) : payload)),
};

export const isCompressed = ({ metadata }: Payload): boolean => metadata?.[MARK] !== undefined;

const compress = ({ metadata, data }: Payload): Payload => ({
  metadata: { ...metadata, [MARK]: Buffer.from('gzip') },
  data: gzipSync(data ?? new Uint8Array()),
});

const expand = ({ metadata, data }: Payload): Payload => ({ metadata, data: gunzipSync(data ?? new Uint8Array()) });
