import type { Finding } from '../doctor/finding.ts';
import { wrap } from './fit.ts';
import type { Paint, Screen } from './screen.ts';
import { columnWidths } from './table.ts';

/** How it stands in one line, then a line for each check, and below what is not in order what to do about it. */
export function doctorScreen(findings: readonly Finding[], { paint, width }: Screen): string {
  const [checkWidth = 0] = columnWidths(findings.map(({ check }) => [check]));
  const indent = ' '.repeat('warn  '.length + checkWidth + 2);
  const lines = findings.flatMap(({ check, is, says, do: what }) => {
    const head = `${paintWord(is, paint)}  ${check.padEnd(checkWidth)}  `;
    const [first = '', ...rest] = wrap(says, width - indent.length);
    const advice = what === undefined ? [] : wrap(`→ ${what}`, width - indent.length);
    return [head + first, ...[...rest, ...advice].map((line) => indent + line)];
  });
  return [summary(findings), '', ...lines].join('\n');
}

function summary(findings: readonly Finding[]): string {
  const count = (is: Finding['is']) => findings.filter((finding) => finding.is === is).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (failed + warned === 0) return 'All is in order.';
  const parts = [...(failed > 0 ? [`${failed} to be put right`] : []), ...(warned > 0 ? [`${warned} to look at`] : [])];
  return `${parts.join(', ')}.`;
}

function paintWord(is: Finding['is'], paint: Paint): string {
  const colour = { ok: paint.green, warn: paint.yellow, fail: paint.red }[is];
  return colour(is.padEnd('warn'.length));
}
