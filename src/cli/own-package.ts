import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What we read of our own package.json. */
export interface OwnPackage {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Where this package lies, built or not: src/cli and dist/cli are equally deep. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

export function readOwnPackage(): OwnPackage {
  return JSON.parse(readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8')) as OwnPackage;
}

/**
 * How a project in `folder` depends on this very Holdfast: by version when it came from a registry, else by the path of the
 * clone or the tarball that it came from.
 */
export function dependencyOnUs(folder: string, from = PACKAGE_FOLDER): string {
  const path = isClone(from) ? from : tarballOf(from);
  return path === undefined ? `^${readOwnPackage().version}` : `file:${relative(folder, path).replaceAll('\\', '/')}`;
}

const isClone = (folder: string): boolean => existsSync(join(folder, 'src', 'index.ts'));

/** npm notes beside the installed packages where each one came from. */
function tarballOf(folder: string): string | undefined {
  const modules = dirname(resolve(folder));
  const lock = join(modules, '.package-lock.json');
  if (!existsSync(lock)) return undefined;
  const { packages = {} } = JSON.parse(readFileSync(lock, 'utf8')) as {
    packages?: Record<string, { resolved?: string } | undefined>;
  };
  const resolved = packages['node_modules/holdfast']?.resolved;
  return resolved?.startsWith('file:') ? resolve(dirname(modules), resolved.slice('file:'.length)) : undefined;
}
