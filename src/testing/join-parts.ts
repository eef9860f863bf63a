import type { KeptPart, RecordedPart } from './recording.ts';

type Of<Type extends KeptPart['type']> = Extract<KeptPart, { type: Type }>;

/** A recorded reply in one piece. @throws Error when it has no finish. */
export function joinParts(parts: readonly RecordedPart[]): {
  readonly text: string;
  readonly calls: readonly Of<'tool-call'>[];
  readonly finish: Of<'finish'>;
} {
  const text = parts.map(({ part }) => (part.type === 'text-delta' ? part.delta : '')).join('');
  const calls = parts.flatMap(({ part }) => (part.type === 'tool-call' ? [part] : []));
  const finish = parts.flatMap(({ part }) => (part.type === 'finish' ? [part] : [])).at(-1);
  if (!finish) throw new Error('A recorded reply has no finish part: the recording is damaged. Record it anew.');
  return { text, calls, finish };
}
