import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './usage-error.ts';

/** What --input stands for: a text, the text of a file (`@FILE`), or standard input (`-`). @throws UsageError */
export async function readInput(input: string | undefined): Promise<string> {
  if (input === undefined)
    throw new UsageError('the run has no input. Add --input "what to do", --input @FILE, or --input -.');
  const read =
    input === '-' ? await text(process.stdin) : input.startsWith('@') ? await readText(input.slice(1)) : input;
  if (read.trim() === '')
    throw new UsageError(`the input is empty (--input ${JSON.stringify(input)}). Say what to do.`);
  return read;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the input from ${file}: ${(error as Error).message}. Name a file after the "@".`);
  }
}
