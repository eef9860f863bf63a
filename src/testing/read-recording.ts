import { isRecord } from './parse-json.ts';
import { RECORDING_FORMAT, type Recording } from './recording.ts';

/** Takes what was read from a file for a recording. @throws Error that says which part is not one. */
export function readRecording(value: unknown, from: string): Recording {
  const wrong = (what: string) => new Error(`${from} is no recording that can be replayed: ${what}.`);
  if (!isRecord(value)) throw wrong('it holds no JSON object');
  if (value['format'] !== RECORDING_FORMAT) {
    throw wrong(`its format is ${JSON.stringify(value['format'])}, and ${JSON.stringify(RECORDING_FORMAT)} is wanted`);
  }
  for (const field of ['agent', 'model', 'input'] as const) {
    if (typeof value[field] !== 'string') throw wrong(`${field} is no text`);
  }
  for (const field of ['tools', 'replies', 'toolReplies'] as const) {
    const rows = value[field];
    if (!Array.isArray(rows) || !rows.every(isRecord)) throw wrong(`${field} is no list of objects`);
  }
  // Its rows are read where they are used; what was edited by hand fails there.
  const recording = value as unknown as Recording;
  const broken = recording.replies.findIndex(({ parts }) => !Array.isArray(parts) || !parts.some(isFinish));
  if (broken >= 0) throw wrong(`replies[${broken}] has no finish part`);
  return recording;
}

const isFinish = (timed: unknown): boolean =>
  isRecord(timed) && isRecord(timed['part']) && timed['part']['type'] === 'finish';
