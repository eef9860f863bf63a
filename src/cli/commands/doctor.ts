import type { Cli } from '../cli.ts';
import { checkConfig } from '../doctor/check-config.ts';
import { checkPeople } from '../doctor/check-people.ts';
import { checkServer } from '../doctor/check-server.ts';
import { checkStores } from '../doctor/check-stores.ts';
import { findPackages } from '../doctor/find-packages.ts';
import { findPrograms } from '../doctor/find-programs.ts';
import { judgeNode } from '../doctor/judge-node.ts';
import { judgePackages } from '../doctor/judge-packages.ts';
import { judgePrograms } from '../doctor/judge-programs.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { PACKAGE_FOLDER } from '../own-package.ts';
import { doctorScreen } from '../screens/doctor-screen.ts';

/** Checks what a run needs, changes nothing but empty stores, and ends with 1 when something would keep a run from working. */
export async function doctor(cli: Cli): Promise<ExitCode> {
  const { settings, flags } = cli;
  const { config, findings: ofConfig } = await checkConfig(flags.config);
  const address = settings.temporal.is === 'external' ? settings.temporal.address : 'localhost';
  const [programs, stores, server] = await Promise.all([
    findPrograms(settings).then(judgePrograms),
    checkStores(config ?? {}, settings, address),
    checkServer(cli),
  ]);
  const packages = judgePackages(findPackages([process.cwd(), PACKAGE_FOLDER]));
  const people = checkPeople(config ?? {}, settings.env);
  const findings = [judgeNode(process.versions.node), packages, programs, ...ofConfig, ...people, ...stores, ...server];
  cli.answer(findings, doctorScreen);
  return findings.some(({ is }) => is === 'fail') ? EXIT.failed : EXIT.done;
}
