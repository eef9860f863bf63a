import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { EventStore } from '../contracts/event-store.ts';
import type { RunEvent, StreamOf } from '../contracts/events.ts';
import { addPiece, pieceMaker, takePieces, type PieceContent } from '../policy/piece-of-part.ts';
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
   * Writes what is left; `planned`, of a reply that is whole, goes behind it. Resolves when all of it is on record, or after two
   * seconds; a store that is away for longer is tried on for a minute. Never rejects.
   */
  end(planned?: readonly RunEvent[]): Promise<void>;
}

/** Between two writes of one stream, so that a thousand pieces a second are not a thousand transactions. */
const REST_MS = 25;
/** A store that is busy is asked less often: a stream takes a fourth of its time at most. */
const REST_PER_WRITE = 3;
/** How long the end of an attempt waits for a store that refuses. */
const PATIENCE_MS = 2_000;
/** How long it is tried after that, while the run goes on. */
const GIVES_UP_MS = 60_000;

/**
 * Writes one attempt's reply to the event store while it comes; the first piece at once. Before it stands a reset where an earlier
 * attempt of the call had shown something, and from then on that one can write nothing more, also where its worker is still alive.
 * A write that fails is tried again; a store that was lost is told all of it once more.
 */
export function publishReply(
  { events, now, onTrouble }: PublishParts,
  run: string,
  about: Omit<StreamOf, 'stream'>,
): ReplyPublisher {
  const toPiece = pieceMaker();
  const ending = new AbortController();
  const waiting: PieceContent[] = [];
  /** All that is on record, should the store be lost. */
  const written: PieceContent[] = [];
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
      standing = streamStanding({ ...about, ...own }, newest);
      return standing.is === 'overtaken' ? [] : [...piecesBy(standing), ...rest];
    });
    isOvertaken = standing.is === 'overtaken';
    const before = standing.is === 'begins' ? written.length : own.seq;
    for (const piece of batch) written.push(piece);
    if (standing.is !== 'overtaken') own = { stream: standing.stream, seq: before + batch.length };
    batch = [];
  }

  function piecesBy(standing: Exclude<Standing, { is: 'overtaken' }>): readonly RunEvent[] {
    const [at, mine] = [now(), { ...about, stream: standing.stream }];
    const isAnew = standing.is === 'begins';
    const pieces = (isAnew ? [...written, ...batch] : batch).map((piece, index): RunEvent => {
      return { type: 'piece', at, ...piece, seq: (isAnew ? 0 : own.seq) + index + 1, ...mine };
    });
    if (!isAnew) return pieces.slice(standing.written);
    return standing.resets ? [{ type: 'reset', at, ...mine }, ...pieces] : pieces;
  }

  /** @returns whether it is on record */
  async function tryWrite(rest: readonly RunEvent[] = []): Promise<boolean> {
    if (batch.length === 0) batch = ending.signal.aborted ? waiting.splice(0) : takePieces(waiting);
    try {
      if (batch.length > 0 || ending.signal.aborted) await write(rest);
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

  async function finish(planned: readonly RunEvent[] | undefined): Promise<void> {
    await writing;
    const deadline = performance.now() + GIVES_UP_MS;
    while (!isOvertaken && performance.now() < deadline) {
      if (batch.length + waiting.length === 0 && planned === undefined) return;
      const isLast = batch.length === 0 || waiting.length === 0;
      const holds = await tryWrite(isLast ? planned : []);
      if (holds && isLast) return;
      if (!holds) await sleep(REST_MS);
    }
  }

  return {
    show(part) {
      const piece = toPiece(part);
      if (!piece || piece.delta === '' || isOvertaken) return;
      addPiece(waiting, piece);
      writing ??= keepWriting();
    },
    async end(planned) {
      ending.abort();
      const patience = new AbortController();
      const isOut = sleep(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([finish(planned), isOut]);
      patience.abort();
    },
  };
}
