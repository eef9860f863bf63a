import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { EventStore, RunEvent, StreamOf } from '../contracts/events.ts';
import { joinPiece, pieceMaker, type PieceContent } from '../policy/piece-of-part.ts';
import { streamStanding, type Standing } from '../policy/stream-standing.ts';

export interface PublishParts {
  readonly events: Pick<EventStore, 'appendPieces'>;
  readonly now: () => number;
  /** Some of the reply could not be written yet. Called once at most. */
  readonly onTrouble: (error: unknown) => void;
}

export interface ReplyPublisher {
  /** Shows a part to whoever watches. Never waits and never throws: a store that is slow holds up no reply. */
  show(part: LanguageModelV4StreamPart): void;
  /**
   * Writes what is left; `planned`, of a reply that is whole, goes behind it. Resolves when all of it is on record, or given up.
   * Never rejects.
   */
  end(planned?: readonly RunEvent[]): Promise<void>;
}

/** Between two writes of one stream, so that a thousand pieces a second are not a thousand transactions. */
const REST_MS = 25;
/** A store that is busy is asked less often: a stream takes a fourth of its time at most. */
const REST_PER_WRITE = 3;
/** How long the end of an attempt waits for a store that refuses. */
const PATIENCE_MS = 2_000;

/**
 * Writes one attempt's reply to the event store while it comes; the first piece at once. Before it stands a reset where an earlier
 * attempt of the call had shown something, and from then on that one can write nothing more, also where its worker is still alive.
 * A write that fails is tried again.
 */
export function publishReply(
  { events, now, onTrouble }: PublishParts,
  run: string,
  about: Omit<StreamOf, 'stream'>,
): ReplyPublisher {
  const toPiece = pieceMaker();
  const ending = new AbortController();
  let waiting: readonly PieceContent[] = [];
  /** What is being written. Tried again as it is: its answer may have been lost. */
  let batch: readonly PieceContent[] = [];
  let own: { readonly stream: number | undefined; readonly seq: number } = { stream: undefined, seq: 0 };
  let writing: Promise<void> | undefined;
  let isOvertaken = false;
  let isTold = false;

  async function write(rest: readonly RunEvent[]): Promise<void> {
    let standing = { is: 'overtaken' } as Standing;
    // Decided in the transaction: between the look and the write nobody else writes.
    await events.appendPieces(run, (newest) => {
      standing = streamStanding({ turn: about.turn, ...own }, newest);
      return standing.is === 'overtaken' ? [] : [...piecesBy(standing), ...rest];
    });
    isOvertaken = standing.is === 'overtaken';
    if (standing.is !== 'overtaken') own = { stream: standing.stream, seq: own.seq + batch.length };
    batch = [];
  }

  function piecesBy(standing: Exclude<Standing, { is: 'overtaken' }>): readonly RunEvent[] {
    const [at, mine] = [now(), { ...about, stream: standing.stream }];
    const pieces = batch.map((piece, index): RunEvent => {
      return { type: 'piece', at, ...piece, seq: own.seq + index + 1, ...mine };
    });
    if (standing.is === 'goes-on') return pieces.slice(standing.written);
    return standing.resets ? [{ type: 'reset', at, ...mine }, ...pieces] : pieces;
  }

  /** @returns whether it is on record */
  async function tryWrite(rest: readonly RunEvent[] = []): Promise<boolean> {
    if (batch.length === 0) [batch, waiting] = [waiting, []];
    try {
      await write(rest);
      return true;
    } catch (error) {
      if (!isTold) onTrouble(error);
      isTold = true;
      return false;
    }
  }

  async function keepWriting(): Promise<void> {
    while (batch.length + waiting.length > 0 && !isOvertaken && !ending.signal.aborted) {
      const began = performance.now();
      await tryWrite();
      const tookMs = performance.now() - began;
      const restMs = Math.max(REST_MS, REST_PER_WRITE * tookMs);
      await sleep(restMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
    writing = undefined;
  }

  return {
    show(part) {
      const piece = toPiece(part);
      if (!piece || piece.delta === '' || isOvertaken) return;
      waiting = joinPiece(waiting, piece);
      writing ??= keepWriting();
    },
    async end(planned) {
      ending.abort();
      await writing;
      const deadline = performance.now() + PATIENCE_MS;
      const isDone = () => batch.length + waiting.length === 0 && (planned === undefined || isOvertaken);
      while (!isOvertaken && performance.now() < deadline) {
        if (isDone()) return;
        const isLast = batch.length === 0 || waiting.length === 0;
        const holds = await tryWrite(isLast ? planned : []);
        if (holds && isLast) return;
        if (!holds) await sleep(REST_MS);
      }
    },
  };
}
