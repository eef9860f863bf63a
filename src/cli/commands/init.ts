import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { projectFiles, type ProjectFile } from '../project-files.ts';
import { initScreen } from '../screens/init-screen.ts';
import { UsageError } from '../usage-error.ts';

/** Writes a project with an agent that runs without a key. It overwrites nothing: then it writes nothing at all. */
export async function init(cli: Cli, { dir = '.' }: { readonly dir?: string }): Promise<ExitCode> {
  const folder = resolve(dir);
  const files = projectFiles(folder);
  refuseOverwriting(folder, files);
  for (const { path, text } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    // Whatever came there in the meantime stays.
    await writeFile(target, text, { flag: 'wx' });
  }
  const cd = relative(process.cwd(), folder);
  cli.answer({ folder, cd, files: files.map(({ path }) => path) }, initScreen);
  return EXIT.done;
}

function refuseOverwriting(folder: string, files: readonly ProjectFile[]): void {
  const there = files.map(({ path }) => path).filter((path) => existsSync(join(folder, path)));
  if (there.length === 0) return;
  throw new UsageError(
    `${folder} has ${there.join(', ')} already; nothing was written.\n  Into a new folder:  npx holdfast init my-agent`,
  );
}
