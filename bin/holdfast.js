#!/usr/bin/env node
// Plain JavaScript that any Node reads: an old one must be able to say that it is too old.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `holdfast: needs Node 22.18 or newer; this is Node ${process.versions.node}.\n` +
      '  See which one is used:   which node\n' +
      '  In a clone of Holdfast:  npm ci, then npx holdfast … (it brings its own Node)\n' +
      '  In a project of yours:   npm install --save-dev node@24, then npx holdfast …',
  );
  process.exit(1);
}

// Node 22 says of its SQLite that it is an experiment: no news for whoever reads our answers.
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).startsWith('SQLite is an experimental')) emitWarning.call(process, warning, ...rest);
};

// A clone runs from its sources, an installed package from what was built of them.
const source = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import(existsSync(source) ? source.href : '../dist/cli/main.js');
await main(process.argv.slice(2));
