import { fail, ok, type Finding } from './finding.ts';

/** `version` without the v. From 22.18 on Node loads TypeScript by itself. */
export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isFit = major > 22 || (major === 22 && minor >= 18);
  return isFit
    ? ok('Node', version)
    : fail('Node', `${version}; 22.18 or newer is needed`, 'npm install --save-dev node@24, then npx holdfast …');
}
