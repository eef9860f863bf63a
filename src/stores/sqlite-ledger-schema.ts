import type { SqliteSchema } from './sqlite-schema.ts';

/** Append-only, and without gaps, also for whoever opens the file with another program. */
export const LEDGER_SCHEMA: SqliteSchema = {
  holds: 'ledger',
  migrations: [
    `
    CREATE TABLE records (
      position INTEGER PRIMARY KEY,
      task TEXT NOT NULL,
      counter INTEGER NOT NULL,
      namespace TEXT NOT NULL,
      scope TEXT NOT NULL,
      intent TEXT NOT NULL,
      run TEXT NOT NULL,
      execution TEXT NOT NULL,
      call TEXT NOT NULL,
      tool TEXT NOT NULL,
      generation INTEGER NOT NULL,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      statement TEXT NOT NULL,
      UNIQUE (task, counter)
    );
    CREATE INDEX records_by_key ON records (namespace, scope, intent);
    CREATE INDEX records_by_run ON records (run);
    CREATE TRIGGER records_never_change BEFORE UPDATE ON records
      BEGIN SELECT RAISE(ABORT, 'a ledger is append-only: a record never changes'); END;
    CREATE TRIGGER records_never_go BEFORE DELETE ON records
      BEGIN SELECT RAISE(ABORT, 'a ledger is append-only: a record is never deleted'); END;
    -- INSERT OR REPLACE would delete without asking the trigger above.
    CREATE TRIGGER records_come_in_order BEFORE INSERT ON records
      WHEN NEW.counter <> (SELECT coalesce(max(counter), 0) + 1 FROM records WHERE task = NEW.task)
        OR EXISTS (SELECT 1 FROM records WHERE position = NEW.position)
      BEGIN SELECT RAISE(ABORT, 'a ledger is append-only: a task counts 1, 2, 3'); END;
    `,
  ],
};
