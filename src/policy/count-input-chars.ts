import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';

type Message = LanguageModelV4CallOptions['prompt'][number];
type Part = Exclude<Message['content'], string>[number];

/** Characters a model is given: texts, arguments, results and the tools it is offered. Files count nothing. */
export function countInputChars({ prompt, tools = [] }: Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'>): number {
  const said = prompt.reduce((sum, message) => sum + ofMessage(message), 0);
  return said + tools.reduce((sum, tool) => sum + sizeOf(tool), 0);
}

const ofMessage = ({ content }: Message): number =>
  typeof content === 'string' ? content.length : content.reduce((sum, part) => sum + ofPart(part), 0);

function ofPart(part: Part): number {
  if (part.type === 'text' || part.type === 'reasoning') return part.text.length;
  if (part.type === 'tool-call') return part.toolName.length + sizeOf(part.input);
  return part.type === 'tool-result' ? part.toolName.length + sizeOf(part.output) : 0;
}

const sizeOf = (value: unknown): number => (typeof value === 'string' ? value.length : JSON.stringify(value).length);
