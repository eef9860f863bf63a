import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { RunEvent } from '../contracts/events.ts';

/** What watchers are shown of a part of a reply. */
export type PieceContent = Pick<Extract<RunEvent, { type: 'piece' }>, 'of' | 'part' | 'tool' | 'delta'>;

/** Turns the parts of one stream into what watchers are shown of them. Keeps which tool a call is of; one for each stream. */
export function pieceMaker(): (part: LanguageModelV4StreamPart) => PieceContent | undefined {
  const tools = new Map<string, string>();
  const shown = new Set<string>();
  return (part) => {
    if (part.type === 'text-delta') return { of: 'text', part: part.id, delta: part.delta };
    if (part.type === 'reasoning-delta') return { of: 'reasoning', part: part.id, delta: part.delta };
    if (part.type === 'tool-input-start') tools.set(part.id, part.toolName);
    if (part.type === 'tool-input-delta') {
      shown.add(part.id);
      return { of: 'tool-input', part: part.id, tool: tools.get(part.id) ?? '', delta: part.delta };
    }
    // Its pieces beat the final input, as they do in the reply that is kept.
    if (part.type !== 'tool-call' || shown.has(part.toolCallId)) return undefined;
    return { of: 'tool-input', part: part.toolCallId, tool: part.toolName, delta: part.input };
  };
}

/** Adds a piece to those that wait to be written; what continues the last one is joined to it. */
export function joinPiece(waiting: readonly PieceContent[], piece: PieceContent): readonly PieceContent[] {
  const last = waiting.at(-1);
  if (last?.of !== piece.of || last.part !== piece.part) return [...waiting, piece];
  return [...waiting.slice(0, -1), { ...last, delta: last.delta + piece.delta }];
}
