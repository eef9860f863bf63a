import pico from 'picocolors';
import { printedCommand } from '../../src/cli/printed-command.ts';
import type { Screen } from '../../src/cli/screens/screen.ts';

/** A local time of one fixed day, as epoch milliseconds: screens show local times. */
export const at = (hours: number, minutes: number, seconds = 0): number =>
  new Date(2026, 10, 30, hours, minutes, seconds).getTime();

/** A screen without colours, 80 columns wide, on that day at 10:14:14. */
export const plainScreen = (change: Partial<Screen> = {}): Screen => ({
  width: 80,
  now: at(10, 14, 14),
  paint: pico.createColors(false),
  command: printedCommand({ home: [], server: [] }),
  ...change,
});
