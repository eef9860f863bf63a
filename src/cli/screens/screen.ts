import type pico from 'picocolors';
import type { PrintedCommand } from '../printed-command.ts';

/** What a screen needs of the place where it is shown. Screens are pure: from data and this to text, without a last newline. */
export interface Screen {
  /** Columns. */
  readonly width: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Colours; without any where they are not wanted. They only add: no meaning hangs on them. */
  readonly paint: Paint;
  readonly command: PrintedCommand;
}

export type Paint = Pick<typeof pico, 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'>;
