import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly order: string;
  readonly cents: number;
  readonly replan: number;
  readonly seed: number;
  /** Where the payments database and the exported histories stay. */
  readonly keep: string | undefined;
  /** A Temporal server to use instead of our own. */
  readonly address: string | undefined;
  readonly handsOn: boolean;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run demo -- [options]
  --hands-on       stop at the question and leave everything up: you are the person
  --order A-1042   the order
  --cents 4900     what the customer is owed
  --replan 5495    what the model asks for when it plans again
  --seed 1         moves the moment at which the late refund lands
  --keep DIR       keep the payments database and the exported histories in DIR
  --address H:P    use this Temporal server instead of an own one
  --json           end with one line of JSON`;

/** Reads the command line. `help`: what to print instead, with the exit code that goes with it. */
export function readDemoOptions(
  words: readonly string[],
): DemoOptions | { readonly help: string; readonly exitCode: number } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        order: { type: 'string', default: 'A-1042' },
        cents: { type: 'string', default: '4900' },
        replan: { type: 'string', default: '5495' },
        seed: { type: 'string', default: '1' },
        keep: { type: 'string' },
        address: { type: 'string' },
        'hands-on': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { help: USAGE, exitCode: 0 };
    const { order, keep, address, json } = values;
    if (!/^[\w-]{1,40}$/.test(order))
      throw new Error(`--order ${order}: use letters, digits, "_" and "-", at most 40.`);
    if (address !== undefined && !isAddress(address)) {
      throw new Error(`--address ${JSON.stringify(address)}: write host:port, e.g. 127.0.0.1:7233.`);
    }
    const cents = wholeNumber('cents', values.cents, 1);
    const replan = wholeNumber('replan', values.replan, 1);
    const seed = wholeNumber('seed', values.seed, 0);
    if (replan === cents)
      throw new Error(`--replan ${replan} is what --cents says. It is the story's point that they differ.`);
    return { order, cents, replan, seed, keep, address, handsOn: values['hands-on'], json };
  } catch (error) {
    return { help: `demo: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`, exitCode: 2 };
  }
}

function isAddress(text: string): boolean {
  const [, port] = /^[\w.-]+:(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) > 0 && Number(port) < 65_536;
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least && /^\d+$/.test(text)) return number;
  throw new Error(`--${name} ${text}: write a whole number from ${least}.`);
}
