/** The promise, or the signal's reason as soon as it is aborted. What the promise does after that is heard by nobody. */
export function orAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).then(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}
