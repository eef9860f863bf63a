import { createLogUpdate } from 'log-update';
import type { RunEvent } from '../contracts/events.ts';
import type { Cli } from './cli.ts';
import { followLive, NOTHING_YET } from './follow-live.ts';
import { liveLines } from './screens/live-lines.ts';

/** The last lines of a terminal, drawn again and again while a run is watched. Elsewhere, and for JSON, there are none. */
export interface LiveRegion {
  note(event: RunEvent): void;
  /** Prints above it what is to stay. */
  print(print: () => void): void;
  /** Takes it away. */
  end(): void;
}

const DRAW_MS = 100;

export function openLiveRegion(cli: Cli): LiveRegion {
  let state = NOTHING_YET;
  if (!process.stdout.isTTY || cli.flags.json)
    return { note: () => undefined, print: (print) => print(), end: () => undefined };
  const region = createLogUpdate(process.stdout);
  const draw = () => region(liveLines(state, cli.screen()).join('\n'));
  const drawing = setInterval(draw, DRAW_MS);
  return {
    note(event) {
      state = followLive(state, event);
    },
    print(print) {
      region.clear();
      print();
      draw();
    },
    end() {
      clearInterval(drawing);
      region.clear();
      region.done();
    },
  };
}
