import { fail, ok, type Finding } from './finding.ts';

/** A package of Temporal's as it is installed. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
}

/** Temporal's packages work together only in one version. */
export function judgePackages(installed: readonly InstalledPackage[]): Finding {
  const versions = [...new Set(installed.map(({ version }) => version))];
  if (installed.length === 0) return fail('Packages', 'no @temporalio package is installed', 'npm install');
  if (versions.length === 1) return ok('Packages', `@temporalio ${versions[0] ?? ''}`);
  const odd = versions.map((version) => {
    const names = new Set(installed.filter((each) => each.version === version).map(({ name }) => name));
    return `${version} (${[...names].join(', ')})`;
  });
  return fail(
    'Packages',
    `@temporalio packages of ${versions.length} versions: ${odd.join('; ')}`,
    'give all of them the same version in package.json, then npm install',
  );
}
