/** The store cannot serve. The message is a clause that follows `Cannot use the … at …: `. */
export class PostgresTrouble extends Error {
  override readonly name = 'PostgresTrouble';
  /** It may be over in a moment. */
  readonly passes: boolean;
  /** The connection that met it can be used again. */
  readonly isSound: boolean;

  constructor(message: string, { passes = false, isSound = true, cause }: Partial<Verdict> & ErrorOptions = {}) {
    super(message, { cause });
    this.passes = passes;
    this.isSound = isSound;
  }
}

/** The deadline came first. Why an attempt before it failed tells more. */
export class OutOfTime extends PostgresTrouble {
  constructor(options: ErrorOptions = {}) {
    super('the server did not answer in time. Check the server and the network, or try again later', {
      ...options,
      isSound: false,
    });
  }
}

interface Verdict {
  readonly passes: boolean;
  readonly isSound: boolean;
}

/** What to do, by SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const ADVICE: Readonly<Record<string, string>> = Object.freeze({
  '25006': 'the server is read-only: a replica, or one that fails over. Name the primary',
  '28000': 'the server refuses this user. Check the user, and pg_hba.conf of the server',
  '28P01': 'the server refuses the password. Check the user, and the password in the address or in PGPASSWORD',
  '3D000': "there is no such database. Make it: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
  '40001': 'other transactions came in between again and again. Try again later',
  '40P01': 'other transactions came in between again and again. Try again later',
  '3F000': 'its schema is gone. Restore the database, or restart the workers to begin anew',
  '42P01': 'its tables are gone. Restore the database, or restart the workers to begin anew',
  '42501': 'the user lacks a right. docs/stores.md lists what a worker and a client need',
  '53100': 'the disk of the server is full. Free some space',
  '53300': 'the server has no connection left. Run fewer workers, or raise max_connections',
  '55P03': 'another transaction keeps it locked. Find it in pg_stat_activity, or try again later',
  '57014': 'the server did not answer in time. Check its load, or try again later',
  '57P01': 'the server is being shut down',
  '57P02': 'the server has crashed',
  '57P03': 'the server does not take connections now: it starts or stops',
  ECONNREFUSED: 'no server answers there. Start it, or correct host and port',
  ENOTFOUND: 'there is no such host. Correct the address',
  ENOENT: 'a file is missing. Correct the address',
});

const PASSING: readonly string[] = [
  ...['25006', '25P03', '40001', '40P01', '53300', '57P01', '57P02', '57P03', '57P05'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
];

/** What the driver threw, as what is wrong and what to do. Only for what was asked of the driver: a bug elsewhere is none. */
export function toTrouble(error: unknown): PostgresTrouble {
  const { message, code, severity } = firstOf(error);
  const advice = ADVICE[code];
  const explained = advice === undefined ? message : `${advice} (${message})`;
  return new PostgresTrouble(explained, {
    cause: error,
    passes: PASSING.includes(code) || code.startsWith('08') || isLoss(message),
    isSound: severity === 'ERROR' && code !== '25006',
  });
}

/** The driver says so without a code. */
const isLoss = (message: string) => /^connection terminated|^client (has encountered|was closed)/i.test(message);

interface Described {
  readonly message: string;
  /** SQLSTATE, or the system's name of the error, or nothing. */
  readonly code: string;
  /** Only what the server said has one. */
  readonly severity: string;
}

/** A host with several addresses fails with one error for each. */
function firstOf(error: unknown): Described {
  if (error instanceof AggregateError && error.errors.length > 0) return firstOf(error.errors[0]);
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return {
    message: error instanceof Error ? error.message : String(error),
    code: typeof code === 'string' ? code : '',
    severity: typeof severity === 'string' ? severity : '',
  };
}
