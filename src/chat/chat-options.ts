import type { Duration } from '../contracts/duration.ts';
import { checkOptions } from '../policy/check-options.ts';
import type { ChatClient } from './chat-client.ts';
import { HIDDEN, type Hidden } from './hide-parts.ts';
import type { ToInput } from './to-input.ts';

export interface ChatOptions {
  /** An `AgentClient`. It is shared, and not closed. */
  readonly client: ChatClient;
  /** The agent that answers, by name. */
  readonly agent: string;
  /**
   * Throws when whoever sent the request may not read or write this chat: it is answered with 403, and nothing is read or started.
   * Without a check anybody who reaches the handler starts runs. Called once a request; its body has been read.
   */
  readonly authorize: (request: Request, chat: string) => void | Promise<void>;
  /** What the agent is given. Default: the newest message's text, and with it what was said before. */
  readonly toInput?: ToInput;
  /** What an intent is done once in: the chat (default), or each message by itself. */
  readonly task?: 'chat' | 'message';
  /** How long a stream may be silent before a comment is sent. Default 15 s. */
  readonly keepAlive?: Duration;
  /** Options that lead a pasted `holdfast` command to the run's data, as `--data DIR`. Default: none. */
  readonly place?: string;
  /** What the browser is not sent: `reasoning`, `tool-input`, `tool-output`, `deciding`. Default: it is sent everything. */
  readonly hides?: readonly Hidden[];
  /** Told of trouble that is not the sender's; the browser hears no details. Default: printed. */
  readonly onError?: (error: unknown, request: Request) => void;
}

// A record, so that no option is forgotten here.
const OPTIONS: Readonly<Record<keyof ChatOptions, true>> = {
  client: true,
  agent: true,
  authorize: true,
  toInput: true,
  task: true,
  keepAlive: true,
  place: true,
  hides: true,
  onError: true,
};

/** @throws Error for what cannot be meant: also where no type checker has looked. */
export function checkChatOptions(options: ChatOptions): void {
  checkOptions('chatHandler', options, Object.keys(OPTIONS));
  const { agent, authorize, task = 'chat', hides = [] } = options;
  if (typeof agent !== 'string' || agent === '')
    throw new Error('chatHandler: agent names none. Write agent: "support".');
  if (typeof authorize !== 'function') {
    throw new Error(
      'chatHandler has no authorize: anybody who reaches it could start runs. Add authorize: (request, chat) => …, which throws for whoever may not use the chat.',
    );
  }
  if (!['chat', 'message'].includes(task)) throw new Error(`chatHandler: task is "${task}". Write chat or message.`);
  const strange = hides.find((what) => !HIDDEN.includes(what));
  if (strange !== undefined) throw new Error(`chatHandler: hides has "${strange}". It may hold ${HIDDEN.join(', ')}.`);
}
