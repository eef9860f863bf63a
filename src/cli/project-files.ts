import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dependencyOnUs, PACKAGE_FOLDER, readOwnPackage } from './own-package.ts';

/** A file of a new project, its path relative to the project. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

const TEMPLATE = join(PACKAGE_FOLDER, 'templates', 'project');
// npm leaves files of this name out of a package.
const NAMES: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** Everything a new project in `folder` (absolute) consists of. */
export function projectFiles(folder: string): readonly ProjectFile[] {
  const template = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const path = join(parentPath, NAMES[name] ?? name).slice(TEMPLATE.length + 1);
      return { path, text: readFileSync(join(parentPath, name), 'utf8') };
    });
  const made = { 'package.json': packageJson(folder), 'tsconfig.json': TSCONFIG };
  const json = Object.entries(made).map(([path, value]) => ({ path, text: `${JSON.stringify(value, null, 2)}\n` }));
  return [...json, ...template].sort((a, b) => a.path.localeCompare(b.path));
}

function packageJson(folder: string) {
  const { devDependencies } = readOwnPackage();
  const caret = (name: string) => ({ [name]: `^${devDependencies[name] ?? ''}` });
  return {
    name: packageName(folder),
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      dev: 'holdfast dev',
      start: 'holdfast start support --input "Order A-1042 arrived damaged." --wait',
      test: 'node --test "test/**/*.test.ts"',
      check: 'tsc',
    },
    dependencies: { holdfast: dependencyOnUs(folder), ...caret('zod') },
    devDependencies: { ...caret('@types/node'), ...caret('typescript') },
  };
}

const packageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'my-agent';

/** Node runs the sources as they are; tsc only checks them. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['*.ts', 'src', 'test'],
};
