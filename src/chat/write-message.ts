import type { RunEvent, StoredEvent } from '../contracts/events.ts';
import { CHECK_OUTCOME } from '../contracts/tool.ts';
import { assertNever } from '../policy/assert-never.ts';
import { answerChunk } from './answer-chunk.ts';
import type { ChatChunk } from './chat-message.ts';
import type { Hidden } from './hide-parts.ts';
import { progressChunks } from './progress-chunks.ts';
import { writeQuestions, type QuestionChunk } from './write-questions.ts';
import { writeStep, type Step } from './write-step.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

export interface MessageOptions {
  readonly run: string;
  /** The options that lead a pasted `holdfast` command to the run's data, e.g. `--data DIR`. Default: none. */
  readonly place?: string;
  /** What is left out. Default: nothing. */
  readonly hides?: readonly Hidden[];
}

/** Writes one run as one assistant message, whose id is the run's. Takes events in order; some may come twice. */
export function writeMessage({ run, place = '' }: MessageOptions) {
  let step: Step | undefined;
  let isAnswered = false;
  const questions = writeQuestions(run, place);
  const calls = new Map<string, ShownCall>();

  /** Undefined for a model call that is over. */
  function stepOf(call: string, turn: number, stream: number): { step?: Step; begun: readonly ChatChunk[] } {
    if (step && step.turn >= turn) return { ...(step.turn === turn && { step }), begun: [] };
    const before = [...closeUnrun(), ...(step?.end() ?? [])];
    step = writeStep({ call, turn, stream });
    return { step, begun: [...before, { type: 'start-step' }] };
  }

  /** The model goes on: what has not even begun was answered at once, and events do not say how. */
  function closeUnrun(): readonly ChatChunk[] {
    const unrun = [...calls.values()].filter(({ is }) => is === 'planned');
    for (const call of unrun) call.is = 'answered';
    return unrun.map(({ toolCallId, tool }) =>
      tool === CHECK_OUTCOME
        ? { type: 'tool-output-available', toolCallId, output: null }
        : { type: 'tool-output-error', toolCallId, errorText: UNRUN },
    );
  }

  function begin(call: string): void {
    const known = calls.get(firstPlanned(call));
    if (known?.is === 'planned') known.is = 'begun';
  }

  function piece(event: Of<'piece'>): readonly ChatChunk[] {
    const { step: of, begun } = stepOf(event.call, event.turn, event.stream);
    return [...begun, ...(of?.piece(event) ?? [])];
  }

  function reset({ call, turn, stream }: Of<'reset'>): readonly ChatChunk[] {
    const { step: of, begun } = stepOf(call, turn, stream);
    const voided = of?.reset(stream) ?? [];
    if (voided.length > 0) for (const planned of calls.keys()) if (turnOf(planned) === turn) calls.delete(planned);
    return [...begun, ...voided];
  }

  function plan(event: Of<'call-planned'>): readonly ChatChunk[] {
    if (calls.has(event.call)) return [];
    const { step: of, begun } = stepOf(`t${event.turn}`, event.turn, 1);
    if (!of) return begun;
    const { toolCallId, chunks } = of.plan(event);
    calls.set(event.call, { is: 'planned', toolCallId, tool: event.tool });
    return [...begun, ...chunks];
  }

  function answer({ call, tool, reply, at }: Of<'call-answered'>): readonly ChatChunk[] {
    const planned = firstPlanned(call);
    // Events of older versions, or of a store that was away, do not say what was asked for.
    const about = { type: 'call-planned', at, call: planned, turn: turnOf(planned), part: planned, tool } as const;
    const asked = plan({ ...about, input: {} });
    const known = calls.get(planned);
    if (!known) return asked;
    known.is = 'answered';
    return [...asked, answerChunk(known.toolCallId, reply)];
  }

  function keep(chunk: QuestionChunk | undefined): readonly ChatChunk[] {
    if (!chunk) return [];
    return step?.keep(chunk) ?? [chunk];
  }

  /** The run's own last text. The pieces may have said it, or some of it, or what never became a reply. */
  function say(turn: number, text: string): readonly ChatChunk[] {
    if (isAnswered) return [];
    isAnswered = true;
    const { step: of = step, begun } = stepOf(`t${turn}`, turn, 1);
    if (!of || text === '') return begun;
    if (of.isWhole || of.turn !== turn) return [...begun, ...of.add(text)];
    if (of.text === text || isCutFrom(of.text, text)) return begun;
    if (text.startsWith(of.text)) return [...begun, ...of.add(text.slice(of.text.length))];
    return [...begun, ...of.reset(Infinity), ...of.add(text)];
  }

  function end({ status, result }: Of<'run-ended'>): readonly ChatChunk[] {
    const text = say(step?.turn ?? 1, result.text);
    const left = [...calls.values()].filter(({ is }) => is !== 'answered');
    const messageMetadata = { run, status, spend: result.spend };
    return [
      ...text,
      ...left.map(({ toolCallId }): ChatChunk => ({ type: 'tool-output-error', toolCallId, errorText: UNANSWERED })),
      ...(step?.end() ?? []),
      { type: 'finish', finishReason: FINISH[status] ?? 'other', messageMetadata },
    ];
  }

  return {
    start: (): ChatChunk => ({ type: 'start', messageId: run, messageMetadata: { run } }),
    take(event: StoredEvent): readonly ChatChunk[] {
      switch (event.type) {
        case 'piece':
          return piece(event);
        case 'reset':
          return reset(event);
        case 'call-planned':
          return plan(event);
        case 'call-answered':
          return answer(event);
        case 'question-raised':
          begin(event.call);
          return keep(questions.raise(event));
        case 'question-settled':
        case 'question-expired':
          return keep(questions.close(event));
        case 'said':
          return say(event.turn, event.text);
        case 'run-ended':
          return end(event);
        case 'attempt-started':
          begin(event.call);
          return progressChunks(event);
        case 'attempt-ended':
        case 'call-waits':
          return progressChunks(event);
        case 'run-started':
        case 'request-sent':
        case 'request-answered':
        case 'request-ended':
        case 'cost-found':
        case 'cost-not-found':
        case 'late-outcome':
        case 'decision-refused':
        case 'limits-changed':
        case 'chat-message':
          return [];
        default:
          return assertNever(event);
      }
    },
  };
}

/** A planned call, and how far it has come. */
interface ShownCall {
  is: 'planned' | 'begun' | 'answered';
  readonly toolCallId: string;
  readonly tool: string;
}

const UNRUN = 'This call was not run; the model was told why.';
const UNANSWERED = 'The run ended before this call was answered.';

const FINISH: Readonly<Record<string, 'stop' | 'error'>> = { completed: 'stop', failed: 'error' };

const turnOf = (call: string): number => Number(/^t(\d+)/.exec(call)?.[1] ?? 1);

/** With edited arguments a call is known by another id (`t3c0e`), and answers in the place of the first. */
const firstPlanned = (call: string): string => call.replace(/e+$/, '');

/** From here on a run cuts its own answer; the pieces have it whole. */
const CUT_FROM = 250_000;

const isCutFrom = (whole: string, text: string): boolean =>
  text.length >= CUT_FROM && whole.startsWith(text.slice(0, CUT_FROM));
