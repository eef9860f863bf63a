import { NAMES } from '../contracts/telemetry-names.ts';
import { isRecord } from './parse-json.ts';

type Meta = Readonly<Record<string, unknown>>;
type Level = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
type Say = (message: string, meta?: Meta) => void;

/** For the `logger` of `createAgentWorker`. */
export interface JsonLogger {
  log(level: Level, message: string, meta?: Meta): void;
  readonly trace: Say;
  readonly debug: Say;
  readonly info: Say;
  readonly warn: Say;
  readonly error: Say;
}

export interface JsonLoggerOptions {
  /** The least that is written. Default INFO. */
  readonly level?: Level;
  /** Default `holdfast-worker`. */
  readonly service?: string;
}

const LEVELS: readonly Level[] = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'];

/**
 * A worker's log, a line of JSON for each, with OpenTelemetry's names. A failed attempt is told of once: by itself, and not by
 * Temporal again.
 */
export function jsonLogger(
  write: (line: string) => void,
  { level: least = 'INFO', service = 'holdfast-worker' }: JsonLoggerOptions = {},
): JsonLogger {
  const log = (level: Level, message: string, meta: Meta = {}) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least) || hasToldOfItself(meta)) return;
    const head = { timestamp: new Date().toISOString(), severity: level, [NAMES.eventName]: meta[NAMES.eventName] };
    write(JSON.stringify({ ...head, body: message, [NAMES.service]: service, ...standardFields(meta) }));
  };
  const at = (level: Level): Say => {
    return (message, meta) => {
      log(level, message, meta);
    };
  };
  return { log, trace: at('TRACE'), debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR') };
}

/** What an activity of ours throws for Temporal carries our envelope. */
function hasToldOfItself({ error }: Meta): boolean {
  const { details } = (error ?? {}) as { readonly details?: unknown };
  return Array.isArray(details) && details.some((detail) => isRecord(detail) && detail['hf'] === 1);
}

/** Our short names and Temporal's, and the standard ones that say the same. */
const STANDARD: Readonly<Record<string, string>> = {
  run: NAMES.run,
  workflowId: NAMES.run,
  workflowRunId: NAMES.workflowRunId,
  activityId: NAMES.activityId,
  activityType: NAMES.activityType,
  call: NAMES.call,
  tool: NAMES.tool,
  attempt: NAMES.attempt,
  delayMs: NAMES.nextDelayMs,
  maxAttempts: NAMES.maxAttempts,
};
/** They say nothing to a reader; the token would let one answer for the activity. */
const UNSAID = ['taskToken', 'sdkComponent', 'isLocal'];

function standardFields(meta: Meta): Meta {
  const fields = Object.entries(meta).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (UNSAID.includes(name) || (name === 'turn' && meta[NAMES.call] !== undefined)) return [];
    if (name === 'error') return exceptionFields(value);
    const standard = STANDARD[name] ?? name;
    return standard !== name && meta[standard] !== undefined ? [] : [[standard, value]];
  });
  return Object.fromEntries(fields);
}

function exceptionFields(error: unknown): (readonly [string, unknown])[] {
  const { name, message = String(error) } = (isRecord(error) ? error : {}) as Partial<Error>;
  return [
    [NAMES.exceptionType, name],
    [NAMES.exceptionMessage, message],
  ];
}
