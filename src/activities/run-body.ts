import { Context } from '@temporalio/activity';

/** How a tool's body ended, or why we stopped waiting for it. `running` settles when the body itself does. */
export type BodyEnd =
  | { readonly is: 'returned'; readonly value: unknown }
  | { readonly is: 'threw'; readonly error: unknown }
  | { readonly is: 'timed-out'; readonly running: Promise<SettledBody> }
  | { readonly is: 'cancelled'; readonly running: Promise<SettledBody> }
  | { readonly is: 'shutdown'; readonly running: Promise<SettledBody> };

export type SettledBody = Extract<BodyEnd, { is: 'returned' } | { is: 'threw' }>;

/**
 * Runs a body until it ends, its time is up, the run wants it cancelled or the worker stops. Never throws. Temporal's own
 * cancellation is heard, not passed on: a pause or a reset by an operator lets the body end well.
 */
export async function runBody(body: () => Promise<unknown>, timeoutMs: number): Promise<BodyEnd> {
  const running = settle(body);
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<BodyEnd>((resolve) => {
    timer = setTimeout(() => {
      resolve({ is: 'timed-out', running });
    }, timeoutMs);
  });
  const ended = await Promise.race([running, timedOut, interrupted(running)]);
  clearTimeout(timer);
  return ended;
}

async function settle(body: () => Promise<unknown>): Promise<SettledBody> {
  try {
    return { is: 'returned', value: await body() };
  } catch (error) {
    return { is: 'threw', error };
  }
}

function interrupted(running: Promise<SettledBody>): Promise<BodyEnd> {
  const context = Context.current();
  return new Promise((resolve) => {
    context.cancelled.catch(() => {
      const details = context.cancellationDetails;
      if (details?.workerShutdown) resolve({ is: 'shutdown', running });
      else if (details?.cancelRequested) resolve({ is: 'cancelled', running });
    });
  });
}
