import type { RunEvent } from '../contracts/events.ts';
import type { ChatChunk } from './chat-message.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
type DataChunk = Extract<ChatChunk, { type: `data-${string}` }>;

/** One model call as a step of the message, from its first piece to the next call's. */
export interface Step {
  readonly call: string;
  readonly turn: number;
  /** The text that is shown of the reply. */
  readonly text: string;
  /** The reply has come to its end: it asked for calls. */
  readonly isWhole: boolean;
  piece(event: Of<'piece'>): readonly ChatChunk[];
  /** Makes void what came of the reply before this stream. Nothing, where that has been done. */
  reset(stream: number): readonly ChatChunk[];
  /** Our id of a call and the part that shows it. */
  plan(event: Of<'call-planned'>): { readonly toolCallId: string; readonly chunks: readonly ChatChunk[] };
  /** Text of ours, after what came of the reply. */
  add(text: string): readonly ChatChunk[];
  /** A data part; it stays when the reply is void. */
  keep(chunk: DataChunk): readonly ChatChunk[];
  end(): readonly ChatChunk[];
}

/** Begins a step. */
export function writeStep({ call, turn, stream: first }: { call: string; turn: number; stream: number }): Step {
  let stream = first;
  let text = '';
  let parts = 0;
  let open: { readonly of: 'text' | 'reasoning'; readonly part: string; readonly id: string } | undefined;
  const tools = new Map<string, { readonly tool: string; call?: string }>();
  const kept = new Map<string, DataChunk>();

  function close(): readonly ChatChunk[] {
    if (!open) return [];
    const { of, id } = open;
    open = undefined;
    return [{ type: `${of}-end`, id }];
  }

  function write(of: 'text' | 'reasoning', part: string, delta: string): readonly ChatChunk[] {
    const isOpen = open?.of === of && open.part === part;
    const before = isOpen ? [] : close();
    open = isOpen && open ? open : { of, part, id: `${call}.${stream}.${++parts}` };
    if (of === 'text') text += delta;
    const { id } = open;
    return [...before, ...(isOpen ? [] : [{ type: `${of}-start`, id } as const]), { type: `${of}-delta`, id, delta }];
  }

  function writeInput({ part, tool = '', delta }: Of<'piece'>): readonly ChatChunk[] {
    const toolCallId = `${call}.${part}`;
    const begun = tools.has(toolCallId);
    if (!begun) tools.set(toolCallId, { tool });
    return [
      ...close(),
      ...(begun ? [] : [{ type: 'tool-input-start', toolCallId, toolName: tool, providerExecuted: true } as const]),
      { type: 'tool-input-delta', toolCallId, inputTextDelta: delta },
    ];
  }

  function reset(next: number): readonly ChatChunk[] {
    if (next <= stream) return [];
    stream = next;
    text = '';
    open = undefined;
    tools.clear();
    return [{ type: 'reset-step' }, ...kept.values()];
  }

  return {
    call,
    turn,
    get text() {
      return text;
    },
    get isWhole() {
      return [...tools.values()].some((one) => one.call !== undefined);
    },
    reset,
    piece(event) {
      // Another attempt answers by now: what the older one still says is void.
      if (event.stream < stream) return [];
      const { of, part, delta } = event;
      const voided = reset(event.stream);
      return [...voided, ...(of === 'tool-input' ? writeInput(event) : write(of, part, delta))];
    },
    plan({ call: planned, part, tool, input }) {
      const asked = `${call}.${part}`;
      // Some models give two calls of a reply one id.
      const isOfAnother = ![undefined, planned].includes(tools.get(asked)?.call);
      const toolCallId = isOfAnother ? `${call}.${planned}` : asked;
      tools.set(toolCallId, { tool, call: planned });
      const about = { toolCallId, toolName: tool, providerExecuted: true, toolMetadata: { call: planned } };
      return { toolCallId, chunks: [...close(), { type: 'tool-input-available', ...about, input }] };
    },
    add: (more) => write('text', open?.of === 'text' ? open.part : '', more),
    keep(chunk) {
      kept.set(`${chunk.type} ${chunk.id ?? ''}`, chunk);
      return [chunk];
    },
    end() {
      const unmade = [...tools].filter(([, one]) => one.call === undefined);
      return [
        ...close(),
        ...unmade.map(([toolCallId, { tool }]) => neverMade(toolCallId, tool)),
        { type: 'finish-step' },
      ];
    },
  };
}

function neverMade(toolCallId: string, toolName: string): ChatChunk {
  return { type: 'tool-input-error', toolCallId, toolName, input: undefined, errorText: 'This call was not made.' };
}
