// `npm run build`: what the package holds. First the sources as JavaScript and types, then the workflow bundle made of them.
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundleSources, digestSources, PREBUILT, type Sources } from '../src/workers/bundle-sources.ts';
import { runTool } from './run-tool.ts';

const dist: Sources = { folder: resolve('dist'), extension: '.js' };

async function build(): Promise<number> {
  // What was renamed or deleted in src must not stay in the package.
  await rm(dist.folder, { recursive: true, force: true });
  const { code } = await runTool(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], 'shown');
  if (code !== 0) return code;
  await writeFile(join(dist.folder, PREBUILT.code), await bundleSources(dist));
  await writeFile(join(dist.folder, PREBUILT.fits), `${await digestSources(dist)}\n`);
  return 0;
}

process.exitCode = await build();
