import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Flip {
  /** Whose record is broken. */
  readonly of: 'server' | 'client';
  /** Only after so many bytes of theirs. */
  readonly afterBytes: number;
}

/** The type byte of a TLS record that carries data. */
const DATA = 23;
const HEADER_BYTES = 5;
/** The end of a handshake is such a record too, and short. */
const LONG_BYTES = 100;

/** Passes bytes on between a client and a TLS server, and flips one bit of one record on its way. */
export function createTlsRelay(port: number, flip: Flip): Server {
  return createServer((client) => {
    const server = connect(port, '127.0.0.1');
    relay(client, server, flip.of === 'client' ? flip.afterBytes : undefined);
    relay(server, client, flip.of === 'server' ? flip.afterBytes : undefined);
  });
}

function relay(from: Socket, to: Socket, flipAfter: number | undefined): void {
  let pending = Buffer.alloc(0);
  let passed = 0;
  let isFlipped = flipAfter === undefined;
  from.on('data', (chunk: Buffer) => {
    if (isFlipped) return void to.write(chunk);
    pending = Buffer.concat([pending, chunk]);
    for (let size = recordSize(pending); size !== undefined; size = recordSize(pending)) {
      const record = Buffer.from(pending.subarray(0, size));
      pending = pending.subarray(size);
      passed += size;
      if (!isFlipped && record[0] === DATA && size > LONG_BYTES && passed > (flipAfter ?? 0)) {
        record.writeUInt8((record[size - 1] ?? 0) ^ 1, size - 1);
        isFlipped = true;
      }
      to.write(record);
    }
    if (!isFlipped) return;
    to.write(pending);
    pending = Buffer.alloc(0);
  });
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  // What was written goes out first: it may be an alert.
  from.on('close', () => to.end());
}

function recordSize(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const size = HEADER_BYTES + bytes.readUInt16BE(3);
  return bytes.length < size ? undefined : size;
}
