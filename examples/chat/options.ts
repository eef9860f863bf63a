import { parseArgs } from 'node:util';

export interface ChatExampleOptions {
  /** Where chats, ledger and server live; a folder of its own for each call when absent. */
  readonly data: string | undefined;
  /** 0: a free one. */
  readonly port: number;
}

export const USAGE = `Usage: npm run chat -- [options]
  --data DIR   keep chats, ledger and server there, and go on from what is there
  --port N     the page's port (default: a free one)`;

/** Reads the command line. `help`: what to print instead, with the exit code that goes with it. */
export function readChatOptions(
  words: readonly string[],
): ChatExampleOptions | { readonly help: string; readonly exitCode: number } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        data: { type: 'string' },
        port: { type: 'string', default: '0' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { help: USAGE, exitCode: 0 };
    const { data, port } = values;
    if (data === '') throw new Error('--data is empty: give a folder.');
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw new Error(`--port ${port}: write a number up to 65535.`);
    return { data, port: Number(port) };
  } catch (error) {
    return { help: `chat: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`, exitCode: 2 };
  }
}
