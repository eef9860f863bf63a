import { accessSync, constants } from 'node:fs';
import type { Need } from './test-needing.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The system's browser. None comes with the packages: a download of its own is not what an `npm ci` should do. */
export const CHROMIUM: Need = { name: 'chromium', path: PLACES.find(isProgram), install: 'apt-get install chromium' };
