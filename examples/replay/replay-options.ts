import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { didYouMean } from '../../src/policy/near-matches.ts';
import { readRecording, type ProxyFault, type Recording, type ScriptedFault } from '../../src/testing/index.ts';

export interface ReplayWishes {
  readonly recording: Recording;
  readonly faults: readonly ScriptedFault[];
  readonly trace: boolean;
  readonly log: boolean;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run replay -- [options]
  --faults LIST     what goes wrong, once each: the first with the first request, and so on
                    429 500 503 … a status; 429:2 with "retry after 2 s"
                    drop          the connection closes before an answer
                    reset:300     the connection is reset after 300 bytes of the answer
                    stream-error  an error inside the answer's stream
                    delay:500     the answer is 500 ms late
                    trickle:20    the answer comes in drops, one every 20 ms
                    hang          no answer; it is given up after some minutes
                    none          this request is spared
  --trace           print the trace: every call, its attempts, and the waits between
  --log             print the worker's log alone, one JSON object a line, on standard error
  --recording FILE  replay this run (default: the one that comes along)
  --json            end with one line of JSON
Example: npm run replay -- --faults 503,429 --trace`;

const SHIPPED = fileURLToPath(new URL('./recorded-run.json', import.meta.url));
const NAMES = ['faults', 'recording', 'trace', 'log', 'json', 'help'] as const;

/** Reads the command line. `help`: what to print instead, with the exit code that goes with it. */
export function readReplayOptions(
  words: readonly string[],
): ReplayWishes | { readonly help: string; readonly exitCode: number } {
  try {
    const values = parse(words);
    if (values.help) return { help: USAGE, exitCode: 0 };
    const { faults = '', recording = SHIPPED, trace = false, log = false, json = false } = values;
    return { recording: readFile(recording), faults: readFaults(faults), trace, log, json };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { help: `replay: ${why}\n\n${USAGE}`, exitCode: 2 };
  }
}

function parse(words: readonly string[]) {
  checkNames(words);
  const { values } = parseArgs({
    args: [...words],
    options: {
      faults: { type: 'string' },
      recording: { type: 'string' },
      trace: { type: 'boolean' },
      log: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  return values;
}

function checkNames(words: readonly string[]): void {
  const known = NAMES.map((name) => `--${name}`);
  const strange = words.find((word) => word.startsWith('--') && !known.includes(word.replace(/=.*/s, '')));
  if (strange !== undefined) throw new Error(`there is no option ${strange}.${didYouMean(strange, known)}`);
}

function readFile(path: string): Recording {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`cannot read the recording ${path}: ${(cause as Error).message}.`, { cause });
  }
  return readRecording(parseText(text, path), path);
}

function parseText(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is no recording that can be replayed: it is not JSON.`, { cause });
  }
}

function readFaults(list: string): readonly ScriptedFault[] {
  if (list.trim() === '') return [];
  return list.split(',').flatMap((word, at) => {
    const fault = readFault(word.trim());
    return fault === 'none' ? [] : [{ ...fault, request: at + 1 }];
  });
}

const WORDS = ['drop', 'reset', 'stream-error', 'delay', 'trickle', 'hang', 'none'] as const;

function readFault(word: string): ProxyFault | 'none' {
  const [, name = '', number] = /^([a-z-]+|[45]\d\d)(?::(\d{1,5}))?$/.exec(word) ?? [];
  const amount = (usual: number) => (number === undefined ? usual : Number(number));
  if (/^\d/.test(name)) {
    const status = Number(name);
    return { is: 'status', status, ...(number !== undefined && { headers: { 'retry-after': number } }) };
  }
  switch (name) {
    case 'drop':
    case 'hang':
    case 'stream-error':
      return { is: name };
    case 'none':
      return name;
    case 'reset':
      return { is: name, afterBytes: amount(300) };
    case 'delay':
      return { is: name, ms: amount(500) };
    case 'trickle':
      return { is: name, everyMs: amount(20) };
    default:
      throw new Error(
        `--faults: "${word}" is no fault. Write a status from 400 to 599, or ${WORDS.join(', ')}.${didYouMean(word, WORDS)}`,
      );
  }
}
