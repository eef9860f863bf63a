// `npm run check`: everything that is known about the code without running it. One line a tool; more only when it finds something.
import { runTool } from './run-tool.ts';

const TOOLS = [
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false'] },
  {
    name: 'page',
    args: ['node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '-p', 'examples/chat/page'],
  },
  { name: 'lint', args: ['node_modules/eslint/bin/eslint.js', '.'] },
  { name: 'format', args: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'] },
  {
    name: 'imports',
    args: ['node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', 'src', '--output-type', 'err-long'],
  },
] as const;

const found = await Promise.all(
  TOOLS.map(async ({ name, args }) => {
    const { code, output, seconds } = await runTool(args, 'kept');
    console.log(`${name.padEnd(8)} ${code === 0 ? 'ok' : 'failed'}   ${seconds} s`);
    if (code !== 0) console.log(output.trimEnd().replaceAll(/^/gm, '  '));
    return code !== 0;
  }),
);
process.exitCode = found.includes(true) ? 1 : 0;
