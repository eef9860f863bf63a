import { readFile } from 'node:fs/promises';
import { isPlainObject } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import { UsageError } from './usage-error.ts';

/** Arguments of a call from the command line: JSON, or `@FILE` with JSON in it. @throws UsageError when they are no object. */
export async function readArgumentsOption(option: string, given: string): Promise<Readonly<Record<string, Json>>> {
  const text = given.startsWith('@') ? await readText(option, given.slice(1)) : given;
  const value = parse(text);
  if (isPlainObject(value)) return value as Readonly<Record<string, Json>>;
  throw new UsageError(
    `${option} is ${JSON.stringify(text.slice(0, 60))}. Write a JSON object, e.g. '{"amount":49}', or @FILE.`,
  );
}

async function readText(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${option} from ${file}: ${(error as Error).message}`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller says what it should have been.
    return undefined;
  }
}
