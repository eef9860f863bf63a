import { readUIMessageStream } from 'ai';
import type { ChatChunk, ChatMessage } from './chat-message.ts';
import type { ChatClient } from './chat-client.ts';
import type { Asked } from './fold-chat.ts';
import { joinPieces } from './join-pieces.ts';
import { toUIMessageChunks } from './to-ui-message-chunks.ts';
import type { MessageOptions } from './write-message.ts';

export interface ShowOptions extends Omit<MessageOptions, 'run'> {
  /** With the words of turns before the last, which only the pieces have. */
  readonly pieces: boolean;
}

/** A chat as messages: what was sent, and what has come of each answer so far. */
export async function showMessages(
  client: Pick<ChatClient, 'get'>,
  asked: readonly Asked[],
  options: ShowOptions,
): Promise<readonly ChatMessage[]> {
  const answers = await Promise.all(asked.map(({ run }) => showAnswer(client, run, options)));
  return asked.flatMap(({ message }, at) => [message, ...(answers[at] ?? [])]);
}

async function showAnswer(
  client: Pick<ChatClient, 'get'>,
  run: string,
  { pieces, ...shown }: ShowOptions,
): Promise<readonly ChatMessage[]> {
  const events = await client.get(run).events({ pieces });
  const stream = ReadableStream.from<ChatChunk>(toUIMessageChunks(joinPieces(events), { ...shown, run }));
  let message: ChatMessage | undefined;
  for await (const grown of readUIMessageStream<ChatMessage>({ stream, terminateOnError: true })) message = grown;
  return message && message.parts.length > 0 ? [message] : [];
}
