import type { ChatMessage, QuestionData } from 'holdfast/chat';

type Part = ChatMessage['parts'][number];

/** The parts of one message, in order. */
export function Answer({ message }: { readonly message: ChatMessage }) {
  const { parts } = message;
  return parts.map((part, at) => {
    if (part.type === 'text') return <p key={at}>{part.text}</p>;
    if (part.type === 'data-question')
      return <Question key={at} question={part.data} about={callOf(parts, part.data)} />;
    return isTool(part) ? <ToolCall key={at} part={part} isAsked={isAsked(parts, part)} /> : null;
  });
}

type ToolPart = Extract<Part, { readonly toolCallId: string }>;

const isTool = (part: Part): part is ToolPart => part.type.startsWith('tool-');

/** The call that a question is about; an approved one with other arguments has an `e` behind its id. */
const callOf = (parts: readonly Part[], { call }: QuestionData): ToolPart | undefined =>
  parts.filter(isTool).find(({ toolMetadata }) => toolMetadata?.['call'] === call.replace(/e+$/, ''));

/** A person is asked about this call now. */
const isAsked = (parts: readonly Part[], call: ToolPart): boolean =>
  parts.some(
    (part) => part.type === 'data-question' && part.data.state === 'open' && callOf(parts, part.data) === call,
  );

const STATES: Readonly<Record<string, string>> = {
  'input-streaming': 'being asked for …',
  'input-available': 'asked for …',
  'output-available': 'done',
  'output-error': 'not done',
};

const WAITS = 'waits for a person';

interface ToolCallProps {
  readonly part: ToolPart;
  readonly isAsked: boolean;
}

function ToolCall({ part, isAsked }: ToolCallProps) {
  const { type, state, input } = part;
  return (
    <div className="card">
      <span className="state">{isAsked ? WAITS : (STATES[state] ?? state)}</span>
      <strong>{type.slice('tool-'.length)}</strong> {state === 'input-streaming' ? '' : argumentsOf(input)}
      {state === 'output-error' ? <p className="bad">{part.errorText}</p> : null}
    </div>
  );
}

function argumentsOf(input: unknown): string {
  return typeof input === 'object' && input !== null ? Object.values(input).join(' · ') : JSON.stringify(input);
}

interface QuestionProps {
  readonly question: QuestionData;
  readonly about: ToolPart | undefined;
}

function Question({ question, about }: QuestionProps) {
  const { tool, kind, state, by, commands } = question;
  const what = about ? `${tool} ${argumentsOf(about.input)}` : tool;
  const asks = kind === 'approval' ? `May it be done? ${what}` : `Did it happen? ${what}`;
  return (
    <div className={`card ${state}`}>
      <span className="state">{state === 'open' ? WAITS : state}</span>
      <strong>{asks}</strong>
      {state === 'settled' ? <p>Settled by {by}.</p> : null}
      {commands.map((command) => (
        <code key={command} tabIndex={0}>
          {command}
        </code>
      ))}
    </div>
  );
}
