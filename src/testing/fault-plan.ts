import { assertNever } from '../policy/assert-never.ts';
import type { FaultPlan, ProxyFault, ScriptedFault } from './proxy-fault.ts';
import { seededDice } from './seeded-dice.ts';

/** The fault of each request, asked for in the order of their arrival. @throws when the plan cannot be meant. */
export function readFaultPlan(plan: FaultPlan): (request: number) => ProxyFault | undefined {
  if (isScript(plan)) {
    plan.forEach((fault, at) => checkScripted(fault, `faults[${at}]`));
    return (request) => plan.find((fault) => fault.request === request);
  }
  const { seed, odds, faults } = plan;
  if (!(odds >= 0 && odds <= 1)) throw new Error(`faults.odds is ${odds}: give a number from 0 to 1.`);
  if (faults.length === 0) throw new Error('faults.faults is empty: name what may go wrong.');
  faults.forEach((fault, at) => checkFault(fault, `faults.faults[${at}]`));
  const dice = seededDice(seed);
  return () => {
    // Two throws for every request, so that other odds do not change which fault it would be.
    const [hit, which] = [dice(), dice()];
    return hit < odds ? faults[Math.floor(which * faults.length)] : undefined;
  };
}

const isScript = (plan: FaultPlan): plan is readonly ScriptedFault[] => Array.isArray(plan);

function checkScripted(fault: ScriptedFault, place: string): void {
  checkNumber(fault.request, `${place}.request`, 'the number of a request, from 1', 1);
  checkFault(fault, place);
}

function checkFault(fault: ProxyFault, place: string): void {
  switch (fault.is) {
    case 'status':
      checkNumber(fault.status, `${place}.status`, 'an HTTP status from 200 to 599', 200, 599);
      return;
    case 'delay':
      checkNumber(fault.ms, `${place}.ms`, 'milliseconds');
      return;
    case 'trickle':
      checkNumber(fault.everyMs, `${place}.everyMs`, 'milliseconds');
      checkNumber(fault.bytes ?? 1, `${place}.bytes`, 'a number of bytes from 1', 1);
      return;
    case 'reset':
      checkNumber(fault.afterBytes, `${place}.afterBytes`, 'a number of bytes');
      return;
    case 'stream-error':
      checkNumber(fault.afterEvents ?? 0, `${place}.afterEvents`, 'a number of events');
      return;
    case 'hang':
    case 'drop':
      return;
    default:
      assertNever(fault);
  }
}

function checkNumber(value: number, place: string, what: string, least = 0, most = 2 ** 31 - 1): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new Error(`${place} is ${String(value)}: give ${what}.`);
}
