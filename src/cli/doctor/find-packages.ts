import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InstalledPackage } from './judge-packages.ts';

/** Temporal's packages that code in one of these folders would find. */
export function findPackages(folders: readonly string[]): readonly InstalledPackage[] {
  const modules = new Set(folders.flatMap(foldersAbove).map((folder) => join(folder, 'node_modules', '@temporalio')));
  return [...modules].filter(existsSync).flatMap(readPackages);
}

function readPackages(scope: string): readonly InstalledPackage[] {
  return readdirSync(scope)
    .map((name) => join(scope, name, 'package.json'))
    .filter(existsSync)
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as InstalledPackage)
    .map(({ name, version }) => ({ name, version }));
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}
