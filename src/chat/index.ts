// The door `holdfast/chat`: runs as messages of chat front ends that are built on the AI SDK. Needs the package `ai`.
export type { ChatClient } from './chat-client.ts';
export { chatHandler } from './chat-handler.ts';
export type { ChatOptions } from './chat-options.ts';
export type { ChatChunk, ChatData, ChatMessage, ChatMetadata, ProgressData, QuestionData } from './chat-message.ts';
export type { Hidden } from './hide-parts.ts';
export { textInput, type ToInput } from './to-input.ts';
export { toUIMessageChunks } from './to-ui-message-chunks.ts';
export type { MessageOptions } from './write-message.ts';
