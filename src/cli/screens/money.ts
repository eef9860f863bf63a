import type { Money } from '../../contracts/bill.ts';
import { dollars } from './dollars.ts';

/** `~` where a part of it is an estimate, `?` where a part of it is not known. Empty where nothing was sent. */
export function money({ micros, estimated, unknown, requests }: Money): string {
  if (requests === 0 && unknown === 0) return '';
  if (unknown >= requests && micros === 0) return '?';
  return `${estimated > 0 ? '~' : ''}${dollars(micros)}${unknown > 0 ? ' + ?' : ''}`;
}
