import type { RunEvent } from '../contracts/events.ts';
import { decideCommands } from '../policy/decide-command.ts';
import type { ChatChunk, QuestionData } from './chat-message.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
export type QuestionChunk = Extract<ChatChunk, { type: 'data-question' }>;

/** The questions of a run as data parts: each is one part, which changes in place. */
export function writeQuestions(run: string, place: string) {
  const known = new Map<string, QuestionData>();

  function show(data: QuestionData): QuestionChunk {
    known.set(data.question, data);
    return { type: 'data-question', id: data.question, data };
  }

  return {
    /** Undefined where it has been asked before. */
    raise({ question, call, kind = 'outcome', tool = call }: Of<'question-raised'>): QuestionChunk | undefined {
      if (known.has(question)) return undefined;
      const commands = decideCommands({ kind, id: question, run }, place);
      return show({ question, run, call, tool, kind, state: 'open', commands });
    },
    /** Undefined where nobody has heard it asked. */
    close(event: Of<'question-settled' | 'question-expired'>): QuestionChunk | undefined {
      const data = known.get(event.question);
      if (!data) return undefined;
      const end =
        event.type === 'question-expired' ? { state: 'expired' as const } : { state: 'settled' as const, by: event.by };
      return show({ ...data, ...end, commands: [] });
    },
  };
}
