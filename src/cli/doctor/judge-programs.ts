import { ok, warn, type Finding } from './finding.ts';

/** The programs of this machine that `dev` may need. */
export interface FoundPrograms {
  /** Absent: there is none here yet. */
  readonly temporal?: { readonly version: string; readonly from: string };
  /** What `python3 --version` said; absent when it does not run. */
  readonly python?: string;
  /** TEMPORAL_CLI_PATH, when somebody insists on a program. */
  readonly insisted?: string;
  /** The server is somebody else's: nothing has to be started here. */
  readonly isExternal: boolean;
}

const CHECK = 'Temporal CLI';

export function judgePrograms({ temporal, python, insisted, isExternal }: FoundPrograms): Finding {
  if (temporal) return ok(CHECK, `${temporal.version} (${temporal.from})`);
  if (isExternal) return ok(CHECK, 'none here, and none needed: the server is not started from here');
  if (insisted !== undefined)
    return warn(CHECK, `TEMPORAL_CLI_PATH is ${insisted}, which does not run`, 'correct it, or unset it');
  if (python !== undefined)
    return warn(CHECK, `none here yet; ${python} is there to get it`, 'npx holdfast dev downloads it (about 45 MB)');
  return warn(
    CHECK,
    'none here yet, and no python3, which would get it where the usual download is closed',
    'npx holdfast dev tries to download it; or install python3, or the CLI: https://docs.temporal.io/cli',
  );
}
