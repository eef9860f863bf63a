import { SEARCH_ATTRIBUTES } from '../contracts/messages.ts';

/** What differs between two starts of the server. Without `dbFile` everything lives in memory. */
export interface ServerPlace {
  readonly port: number;
  readonly uiPort: number;
  readonly namespace: string;
  readonly dbFile?: string;
}

const TYPE_NAMES = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList', INT: 'Int' } as const;

// Measured with CLI 1.9.1: polled 20 times a second, every hop takes 50 ms; shifted by 1 s, every short timer takes 1 s.
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxTimeShift="10ms"',
  'frontend.WorkflowPauseEnabled=true',
];

// synchronous=2 (FULL): with less, a power cut can take back the record that an effect was started.
const SQLITE_PRAGMAS = ['journal_mode=wal', 'synchronous=2'];

/** The arguments of `temporal` that start our server. The Web UI is always on. */
export function serverFlags({ port, uiPort, namespace, dbFile }: ServerPlace): string[] {
  const attributes = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => `${name}=${TYPE_NAMES[type]}`);
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`, '--ui-port', `${uiPort}`],
    ...['--namespace', namespace],
    ...(dbFile ? ['--db-filename', dbFile, ...repeat('--sqlite-pragma', SQLITE_PRAGMAS)] : []),
    ...repeat('--dynamic-config-value', DYNAMIC_CONFIG),
    ...repeat('--search-attribute', attributes),
  ];
}

function repeat(flag: string, values: readonly string[]): string[] {
  return values.flatMap((value) => [flag, value]);
}
