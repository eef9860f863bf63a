import { setTimeout as sleep } from 'node:timers/promises';

/** Reads again until the value fits. @throws, showing the last value, when that takes longer than the deadline. */
export async function waitFor<Value>(
  read: () => Value | Promise<Value>,
  fits: (value: Value) => boolean,
  deadlineMs = 10_000,
): Promise<Value> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await read();
    if (fits(value)) return value;
    if (Date.now() > end) throw new Error(`Not so within ${deadlineMs} ms; last seen: ${JSON.stringify(value)}`);
    await sleep(5);
  }
}
