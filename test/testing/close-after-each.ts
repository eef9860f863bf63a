import { afterEach } from '@jest/globals';

interface Closable {
  close(): Promise<void>;
}

/** Returns a function that keeps what a test opens, and closes it after the test. */
export function closeAfterEach(): <Opened extends Closable>(opened: Opened | Promise<Opened>) => Promise<Opened> {
  const open: Closable[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });
  return async (opened) => {
    const value = await opened;
    open.push(value);
    return value;
  };
}
