import type { ChatEntry } from '../client/chat-record.ts';
import type { Json } from '../contracts/json.ts';
import type { ChatClient } from './chat-client.ts';
import { foldChat } from './fold-chat.ts';
import type { FollowedRun } from './follow-run.ts';
import type { ChatPost } from './read-post.ts';
import { runOfMessage, taskOfChat } from './run-of-message.ts';
import { showMessages } from './show-messages.ts';
import type { ToInput } from './to-input.ts';

export interface Answering {
  readonly client: ChatClient;
  readonly agent: string;
  readonly toInput: ToInput;
  readonly task: 'chat' | 'message';
}

/**
 * The run of a message, begun or joined. The message is kept first: a run that nobody finds again would be worse than a message
 * without a run, which is sent again.
 */
export async function startOrJoin(
  { client, agent, toInput, task }: Answering,
  { chat, message, again }: ChatPost,
): Promise<FollowedRun> {
  const runId = runOfMessage(chat, message);
  const record = client.chat(chat);
  const known = await record.entries();
  // The message came as JSON.
  const entry: ChatEntry = { run: runId, message: message as unknown as Json, ...(again && { again }) };
  const isNew = isNewIn(known, entry);
  if (isNew) await record.add(entry);
  const counts = foldChat(isNew ? [...known, entry] : known);
  const before = counts.slice(
    0,
    Math.max(
      0,
      counts.findIndex(({ run }) => run === runId),
    ),
  );
  const earlier = await showMessages(client, before, { pieces: false });
  const input = await toInput([...earlier, message]);
  return client.start({ agent, input, runId, ...(task === 'chat' && { taskId: taskOfChat(chat) }) });
}

/** What a network sends a second time is none; what a person asks anew is, unless it is the last one anyway. */
function isNewIn(known: readonly ChatEntry[], { run, again }: ChatEntry): boolean {
  return again ? foldChat(known).at(-1)?.run !== run : !known.some((entry) => entry.run === run);
}
