import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export interface TriageOptions {
  readonly folder: string;
  readonly model: string;
  readonly baseURL: string | undefined;
  /** Where the tracker and the ledger live; a folder of its own for each call when absent. */
  readonly data: string | undefined;
  readonly run: string | undefined;
  /** How late the tracker answers, in milliseconds: it has written by then. */
  readonly slowMs: number;
  readonly json: boolean;
}

const SHIPPED = fileURLToPath(new URL('./reports/', import.meta.url));

export const USAGE = `Usage: npm run triage -- [FOLDER] [options]
  FOLDER            crash reports, one file each (default: the dozen that come along)
  --model stand-in  rules instead of a model, offline; or compatible/NAME with --base-url
  --base-url URL    a server that speaks the OpenAI chat protocol (key: HOLDFAST_COMPATIBLE_KEY)
  --data DIR        keep tracker, ledger and server there, and go on from what is there
  --run ID          the run's id: the same id again gives the same run, or its answer
  --slow MS         the tracker answers so late: time to kill the worker in the middle
  --json            end with one line of JSON`;

/** Reads the command line. `help`: what to print instead, with the exit code that goes with it. */
export function readTriageOptions(
  words: readonly string[],
): TriageOptions | { readonly help: string; readonly exitCode: number } {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        model: { type: 'string', default: 'stand-in' },
        'base-url': { type: 'string' },
        data: { type: 'string' },
        run: { type: 'string' },
        slow: { type: 'string', default: '0' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { help: USAGE, exitCode: 0 };
    const [folder = SHIPPED, ...more] = positionals;
    if (more.length > 0) throw new Error(`one FOLDER at a time, not also ${more.join(', ')}.`);
    checkFolder(folder);
    const { model, data, run, json } = values;
    if (model !== 'stand-in' && !model.includes('/'))
      throw new Error(`--model ${model}: write stand-in, or compatible/NAME.`);
    if (!/^\d{1,5}$/.test(values.slow)) throw new Error(`--slow ${values.slow}: write milliseconds, at most 99999.`);
    if (run !== undefined && !/^[\w.:@+-]{1,100}$/.test(run)) {
      throw new Error(`--run ${JSON.stringify(run)}: write letters, digits or any of _ . : @ + -, at most 100.`);
    }
    if (data === '') throw new Error('--data is empty: give a folder.');
    return { folder, model, baseURL: values['base-url'], data, run, slowMs: Number(values.slow), json };
  } catch (error) {
    return { help: `triage: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`, exitCode: 2 };
  }
}

function checkFolder(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) throw new Error(`there is no folder "${folder}".`);
  if (!stats.isDirectory()) throw new Error(`"${folder}" is a file. Give the folder that holds the reports.`);
}
