import type { PostgresSchema } from './postgres-schema.ts';

/**
 * Rows are only ever inserted; the events of runs that have ended may be deleted by the owner.
 *
 * A run's name, at most 1,000 bytes as Temporal has it, is compared by its bytes: the order of a language changes with the
 * system's libraries, and the index would be lost. `event` is text: jsonb would not give back what was written.
 */
export const EVENTS_SCHEMA: PostgresSchema = {
  holds: 'events',
  migrations: [
    (schema) => `
    CREATE TABLE ${schema}.events (
      run TEXT COLLATE "C" NOT NULL,
      "offset" INTEGER NOT NULL,
      type TEXT NOT NULL,
      event TEXT NOT NULL,
      -- One for each commit: says whether it counted, when its answer was lost.
      commit_id UUID NOT NULL,
      PRIMARY KEY (run, "offset")
    );
    -- How a run began, ended, and what it cost is asked often, and one fact comes with a hundred pieces.
    CREATE INDEX events_facts ON ${schema}.events (run, "offset") WHERE type NOT IN ('piece', 'reset');
    `,
  ],
};
