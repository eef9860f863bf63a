import type { PostgresSchema } from './postgres-schema.ts';

/**
 * Append-only, and without gaps, also for whoever opens the database with another program.
 *
 * Names are indexed by digest, because they may be longer than an index takes, and because the order of bytes, unlike that
 * of a language, does not change with the system's libraries. `statement` is text: jsonb would not give back what was written.
 */
export const LEDGER_SCHEMA: PostgresSchema = {
  holds: 'ledger',
  migrations: [
    (schema) => `
    CREATE TABLE ${schema}.records (
      position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
      at BIGINT NOT NULL,
      kind TEXT NOT NULL,
      statement TEXT NOT NULL,
      key_digest BYTEA NOT NULL,
      task_digest BYTEA NOT NULL,
      run_digest BYTEA NOT NULL,
      -- Of the claim that the statement makes or ends.
      claim_digest BYTEA,
      -- One for each commit: says whether it counted, when its answer was lost.
      commit_id UUID NOT NULL,
      UNIQUE (task_digest, counter)
    );
    CREATE INDEX records_by_key ON ${schema}.records (key_digest, position);
    CREATE INDEX records_by_run ON ${schema}.records (run_digest, position);
    -- For the unsettled ones, which are sought in the whole ledger.
    CREATE INDEX records_claimed ON ${schema}.records (key_digest, claim_digest, generation) WHERE kind = 'claimed';
    CREATE INDEX records_ended ON ${schema}.records (key_digest, claim_digest)
      WHERE kind IN ('done', 'failed', 'not-executed');
    CREATE INDEX records_settled ON ${schema}.records (key_digest, generation) WHERE kind = 'settled';

    CREATE FUNCTION ${schema}.records_stay() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'a ledger is append-only: a record never changes and is never deleted'; END $$;
    CREATE TRIGGER records_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.records
      EXECUTE FUNCTION ${schema}.records_stay();
    -- Also for sessions that replicate, which pass other triggers by.
    ALTER TABLE ${schema}.records ENABLE ALWAYS TRIGGER records_stay;

    CREATE FUNCTION ${schema}.records_come_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.counter <> 1 + coalesce(
          (SELECT max(counter) FROM ${schema}.records WHERE task_digest = NEW.task_digest), 0)
        THEN RAISE EXCEPTION 'a ledger is append-only: a task counts 1, 2, 3'; END IF;
        RETURN NEW;
      END $$;
    CREATE TRIGGER records_come_in_order BEFORE INSERT ON ${schema}.records
      FOR EACH ROW EXECUTE FUNCTION ${schema}.records_come_in_order();
    `,
  ],
};
