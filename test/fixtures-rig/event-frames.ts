import { crc32 } from 'node:zlib';
import type { AwsEvent } from './fixture.ts';

/** An event as a frame of application/vnd.amazon.eventstream: lengths, checksum, headers, payload, checksum; less its last `cutBytes`. */
export function encodeFrame({ headers, payload, cutBytes = 0 }: AwsEvent): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(head.length + body.length + 16, 0);
  prelude.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), head, body]);
  const frame = Buffer.concat([message, checksum(message)]);
  return frame.subarray(0, frame.length - cutBytes);
}

/** Type 7 is a string: a byte of length for the name, two for the value. */
function encodeHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
