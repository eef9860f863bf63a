import { resolve } from 'node:path';
import { shellWord } from '../policy/shell-word.ts';
import type { Settings } from './settings.ts';

/**
 * The options that lead a pasted `holdfast` command to this process's data: none where the default does, and none for a
 * server on another machine, whose readers have data folders of their own.
 */
export function commandPlace({ dataDir }: Pick<Settings, 'dataDir'>, address: string, cwd = process.cwd()): string {
  const isHere = /^(127\.|localhost[:]|\[::1\])/.test(address);
  if (!isHere || dataDir === resolve(cwd, '.holdfast')) return '';
  return `--data ${shellWord(dataDir)}`;
}
