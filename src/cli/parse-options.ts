import { InvalidArgumentError } from 'commander';
import type { Duration } from '../contracts/duration.ts';
import type { Json } from '../contracts/json.ts';
import { durationMs } from '../policy/duration-ms.ts';

/** Commander puts the option and its value before what these throw. */
export function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 1.');
}

export function readOffset(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 0.');
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('Write a port, 1 to 65535.');
}

export function readDuration(text: string): Duration {
  try {
    durationMs(text as Duration, '');
    // Checked just above.
    return text as Duration;
  } catch {
    throw new InvalidArgumentError("Write a number with a unit: '30s', '10m', '20h', '7d'.");
  }
}

export function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new InvalidArgumentError(
      `That is not JSON. Write what the tool would have returned, e.g. '{"id":"re_1"}', or null when there is nothing to give.`,
    );
  }
}

/** The dots of a printed command stand for words that only a person can write. */
export function readWords(text: string): string {
  if (/[\p{L}\p{N}]/u.test(text)) return text;
  throw new InvalidArgumentError('Write your own words in its place.');
}
