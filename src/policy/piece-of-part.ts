import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { RunEvent } from '../contracts/events.ts';

/** What watchers are shown of a part of a reply. */
export type PieceContent = Pick<Extract<RunEvent, { type: 'piece' }>, 'of' | 'part' | 'tool' | 'delta'>;

/** Turns the parts of one stream into what watchers are shown of them. Keeps which tool a call is of; one for each stream. */
export function pieceMaker(): (part: LanguageModelV4StreamPart) => PieceContent | undefined {
  const tools = new Map<string, string>();
  const shown = new Set<string>();
  /** Calls that the provider carries out itself: they are none of ours. */
  const foreign = new Set<string>();
  const name = partNames();
  return (part) => {
    if (part.type === 'text-delta') return { of: 'text', part: part.id, delta: part.delta };
    if (part.type === 'reasoning-delta') return { of: 'reasoning', part: part.id, delta: part.delta };
    if (part.type === 'tool-input-start') {
      if (part.providerExecuted) foreign.add(part.id);
      else tools.set(part.id, part.toolName);
    }
    if (part.type === 'tool-input-delta') {
      if (foreign.has(part.id)) return undefined;
      if (part.delta !== '') shown.add(part.id);
      return { of: 'tool-input', part: name.of(part.id), tool: tools.get(part.id) ?? '', delta: part.delta };
    }
    if (part.type !== 'tool-call' || part.providerExecuted) return undefined;
    const own = name.next(part.toolCallId);
    // Its pieces beat the final input, as they do in the reply that is kept.
    if (shown.delete(part.toolCallId)) return undefined;
    return { of: 'tool-input', part: own, tool: part.toolName, delta: part.input };
  };
}

/** Some models give two calls of a reply one id: the second is another part. */
export function partNames() {
  const seen = new Map<string, number>();
  const nameOf = (id: string, before: number): string => (before === 0 ? id : `${id}#${before + 1}`);
  return {
    /** Of the call that is under way. */
    of: (id: string): string => nameOf(id, seen.get(id) ?? 0),
    /** The same, and what comes under this id from now on is another call. */
    next(id: string): string {
      const before = seen.get(id) ?? 0;
      seen.set(id, before + 1);
      return nameOf(id, before);
    },
  };
}

/** Adds a piece to those that wait to be written; what continues the last one is joined to it. Changes `waiting`. */
export function addPiece(waiting: PieceContent[], piece: PieceContent): void {
  const last = waiting.at(-1);
  if (last?.of !== piece.of || last.part !== piece.part) waiting.push(piece);
  else waiting[waiting.length - 1] = { ...last, delta: last.delta + piece.delta };
}

const HALF = /[\ud800-\udbff]$/;

/** Takes what waits; the first half of a character stays until its second one is there. Changes `waiting`. */
export function takePieces(waiting: PieceContent[]): readonly PieceContent[] {
  const taken = waiting.splice(0);
  const last = taken.at(-1);
  if (!last || !HALF.test(last.delta)) return taken;
  waiting.push({ ...last, delta: last.delta.slice(-1) });
  const rest = last.delta.slice(0, -1);
  return [...taken.slice(0, -1), ...(rest === '' ? [] : [{ ...last, delta: rest }])];
}
