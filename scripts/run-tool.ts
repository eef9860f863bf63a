import { spawn } from 'node:child_process';

/** How a tool of the project ended. `output` is all it wrote, when it was not shown as it came. */
export interface ToolEnd {
  readonly code: number;
  readonly output: string;
  readonly seconds: string;
}

/** Runs a Node program of the project to its end: `shown` lets it write to our terminal, `kept` collects what it writes. */
export function runTool(args: readonly string[], how: 'shown' | 'kept', env = process.env): Promise<ToolEnd> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const stdio = how === 'shown' ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, args, { stdio: ['ignore', stdio, stdio], env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code: code ?? 1, output, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) });
    });
  });
}
