// The tracker in a process of its own: node tracker.process.ts '{"dbFile":"tracker.db"}'
import { serveUntilTold } from '../../src/testing/index.ts';
import { startTracker, type TrackerOptions } from './tracker.ts';

// Written by the triage command, whose argument has this type.
await serveUntilTold((options) => startTracker(options as TrackerOptions));
