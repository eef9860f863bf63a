import { once } from 'node:events';

/** The child's end of the wire to the test that started it. */
export function tell(message: unknown): void {
  process.send?.(message);
}

/** The next word of the test. Without it the child would never end: the test kills it then. */
export async function heard(): Promise<void> {
  await once(process, 'message');
}

export function hangUp(): void {
  process.disconnect();
}
