/** Cases that share a server which is killed under all of them at once. */
export interface Group {
  /** Resolves when every case of the group has its worker. */
  ready(id: string): Promise<void>;
  /** Kills the server once every case is at its boundary; resolves, when it is back, with when it was killed. */
  strikeServer(id: string): Promise<number>;
  /** A case that has ended, however, is waited for no more. */
  leave(id: string): void;
}

/** A group whose cases have nothing to wait for. */
export const ALONE: Group = {
  ready: async () => undefined,
  strikeServer: async () => {
    throw new Error('This server is not one to be killed.');
  },
  leave: () => undefined,
};

export function openGroup(ids: readonly string[], killAndRestart: () => Promise<void>): Group {
  const ready = openGate(ids, async () => undefined);
  const struck = openGate(ids, async () => {
    const struckAt = Date.now();
    await killAndRestart();
    return struckAt;
  });
  return {
    ready: ready.arrive,
    strikeServer: struck.arrive,
    leave: (id) => {
      ready.leave(id);
      struck.leave(id);
    },
  };
}

/** Opens, with one action, when all have arrived or left. */
function openGate<T>(ids: readonly string[], act: () => Promise<T>) {
  const awaited = new Set(ids);
  const opened: PromiseWithResolvers<T> = Promise.withResolvers();
  let arrived = 0;
  const leave = (id: string) => {
    if (awaited.delete(id) && awaited.size === 0 && arrived > 0) opened.resolve(act());
  };
  return {
    leave,
    arrive: (id: string) => {
      arrived += 1;
      leave(id);
      return opened.promise;
    },
  };
}
