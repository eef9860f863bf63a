import type { ModelReason } from '../contracts/failure.ts';
import type { Tool } from '../contracts/tool.ts';
import { cleanMessage } from '../policy/clean-message.ts';
import type { AskedCall } from './collect-reply.ts';
import { readArguments } from './read-arguments.ts';

/** A call that may be planned, its arguments as the schema gives them; or why not, in words for the model. */
export type ReadCall =
  | { readonly is: 'fits'; readonly tool: Tool; readonly value: unknown }
  | { readonly is: 'unfit'; readonly reason: ModelReason; readonly message: string };

/** Reads a call as the model wrote it: whole, of a tool that is offered, with arguments its schema takes. */
export async function readCall(raw: AskedCall, tools: readonly Tool[]): Promise<ReadCall> {
  if (raw.cut !== undefined) return { is: 'unfit', reason: 'tool-call-cut', message: raw.cut };
  const tool = tools.find(({ name }) => name === raw.tool);
  if (!tool) {
    const names = tools.map(({ name }) => name).join(', ');
    const message = `There is no tool "${raw.tool}". The tools are: ${names || 'none'}.`;
    return { is: 'unfit', reason: 'tool-unknown', message };
  }
  const unfit = (message: string): ReadCall => ({ is: 'unfit', reason: 'tool-input', message });
  const parsed = readArguments(raw.input);
  if ('problem' in parsed) {
    const again = 'Nothing was run. Send the call again with a JSON object.';
    return unfit(`The arguments of ${tool.name} ${parsed.problem}. ${again}`);
  }
  const checked = await tool.input['~standard'].validate(parsed.value);
  if (!checked.issues) return { is: 'fits', tool, value: checked.value };
  return unfit(`The arguments of ${tool.name} were not accepted: ${issuesOf(checked.issues)}`);
}

function issuesOf(issues: readonly { message: string; path?: readonly unknown[] | undefined }[]): string {
  const texts = issues.map(({ message, path }) =>
    path?.length ? `${path.map(segment).join('.')}: ${message}` : message,
  );
  return cleanMessage(texts.join('; '));
}

function segment(part: unknown): string {
  return String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part);
}
