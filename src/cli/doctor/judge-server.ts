import type { NamespaceState } from '../../temporal/find-namespace.ts';
import type { AttributeName, AttributeState } from '../../temporal/search-attributes.ts';
import type { ClockDifference } from '../../temporal/server-clock.ts';
import { assertNever } from '../../policy/assert-never.ts';
import type { PrintedCommand } from '../printed-command.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

export function judgeNamespace(namespace: string, state: NamespaceState): Finding {
  const check = 'Namespace';
  switch (state.is) {
    case 'present':
      return ok(check, `${namespace} · ended runs are kept ${state.keepsDays} d`);
    case 'missing':
      return fail(
        check,
        `"${namespace}" does not exist on this server`,
        `correct --namespace, TEMPORAL_NAMESPACE or the profile; or: temporal operator namespace create -n ${namespace}`,
      );
    case 'unknown':
      return warn(check, `${namespace} cannot be looked at: ${state.why}`, 'nothing, if runs start');
    default:
      return assertNever(state);
  }
}

export function judgeAttributes(
  states: Readonly<Record<AttributeName, AttributeState>>,
  command: PrintedCommand,
): Finding {
  const check = 'Attributes';
  const lacking = Object.entries(states).filter(([, { is }]) => is !== 'present');
  if (lacking.length === 0) return ok(check, `all ${Object.keys(states).length} search attributes are there`);
  const names = lacking.map(([name, { is }]) => `${name} (${is.replace('-', ' ')})`);
  return warn(check, `lists cannot be filtered by ${names.join(', ')}`, command('setup'));
}

/** Apart by more than this, times in lists and the ledger's waits mislead. */
const MOST_APART_MS = 2_000;

export function judgeClock(difference: ClockDifference | undefined): Finding {
  const check = 'Clock';
  if (difference === undefined)
    return warn(check, 'the server does not tell its time', 'nothing, if its clock is right');
  const { aheadMs, withinMs } = difference;
  if (Math.abs(aheadMs) - withinMs <= MOST_APART_MS) return ok(check, `agrees with the server's within ${withinMs} ms`);
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const which = aheadMs > 0 ? 'behind' : 'ahead of';
  return warn(check, `this machine's is ${seconds} s ${which} the server's`, 'set both by NTP');
}
