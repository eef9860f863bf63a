import type { ChatChunk } from './chat-message.ts';

/** What a browser need not be sent. `deciding`: the commands that answer a question, and who has. */
export type Hidden = 'reasoning' | 'tool-input' | 'tool-output' | 'deciding';

type Hide = (chunk: ChatChunk) => ChatChunk | undefined;

const HIDE: Readonly<Record<Hidden, Hide>> = {
  reasoning: (chunk) => (chunk.type.startsWith('reasoning-') ? undefined : chunk),
  'tool-input': (chunk) => {
    if (chunk.type === 'tool-input-delta') return undefined;
    return chunk.type === 'tool-input-available' ? { ...chunk, input: {} } : chunk;
  },
  'tool-output': (chunk) => {
    if (chunk.type === 'tool-output-error') return { ...chunk, errorText: 'This call did not succeed.' };
    return chunk.type === 'tool-output-available' ? { ...chunk, output: null } : chunk;
  },
  deciding: (chunk) => {
    if (chunk.type !== 'data-question') return chunk;
    const { by, ...data } = chunk.data;
    return { ...chunk, data: { ...data, commands: [] } };
  },
};

export const HIDDEN: readonly string[] = Object.keys(HIDE);

/** The chunk without what is hidden; undefined where nothing is left of it. */
export function hideParts(chunk: ChatChunk, hides: readonly Hidden[]): ChatChunk | undefined {
  return hides.reduce<ChatChunk | undefined>((left, what) => left && HIDE[what](left), chunk);
}
