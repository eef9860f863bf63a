import { access, constants, mkdir } from 'node:fs/promises';
import { cannotWrite } from './cannot-start-server.ts';

/** Makes a folder for this user only (it holds arguments and results of calls), unless it is there. @throws CannotStartServer when it cannot be written. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw cannotWrite(folder, cause);
  }
}
