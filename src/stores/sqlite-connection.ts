import { isStillInPlace, openHandle, type HandleOptions, type SqliteHandle } from './sqlite-handle.ts';
import { explainTrouble, isLock, SqliteMoved } from './sqlite-trouble.ts';

export interface ConnectionOptions extends Omit<HandleOptions, 'expectedId'> {
  /** What to do when another database, or none, is found at the path in the middle of use. */
  readonly whenReplaced: 'refuse' | 'follow';
}

/** One handle at a time: opened by the first use, given up after trouble, opened anew by the next use. */
export interface SqliteConnection {
  /** Runs `work` once, on the spot. @throws what the store throws, or `work`. */
  use<T>(work: (handle: SqliteHandle) => T): T;
  /** To be called at the end of `work`, before a commit. @throws SqliteMoved */
  checkPlace(handle: SqliteHandle): void;
  drop(): void;
}

export function makeConnection(options: ConnectionOptions): SqliteConnection {
  let handle: SqliteHandle | undefined;
  let expectedId: string | undefined;

  function open(): SqliteHandle {
    handle ??= openHandle({ ...options, expectedId });
    if (options.whenReplaced === 'refuse') expectedId = handle.id;
    return handle;
  }

  function drop(): void {
    const dropped = handle;
    handle = undefined;
    dropped?.database.close();
  }

  return {
    drop,
    use(work) {
      try {
        return work(open());
      } catch (error) {
        // A handle that met a lock, or a bug in the work, is sound.
        if (!isLock(error) && explainTrouble(error) !== undefined) drop();
        throw error;
      }
    },
    checkPlace(current) {
      if (!isStillInPlace(current, options.path)) throw new SqliteMoved('the file at the path is another one');
    },
  };
}
