/** Fires at the first Ctrl-C or SIGTERM. The second one ends the process as usual. */
export function onInterrupt(): AbortSignal {
  const interrupted = new AbortController();
  const stop = () => {
    interrupted.abort();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return interrupted.signal;
}

export function whenFired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
