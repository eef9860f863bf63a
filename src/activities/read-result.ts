import { inline, type Content } from '../contracts/content.ts';
import type { Tool } from '../contracts/tool.ts';
import { readErrorFacts } from '../policy/error-facts.ts';
import { cleanMessage } from '../policy/clean-message.ts';
import type { ActivityPorts } from './ports.ts';
import { storeContent, toJson } from './store-content.ts';

export interface ReadResult {
  readonly result: Content;
  /** For the model: the call is done, and why its result is not, or not wholly, there. */
  readonly note?: string;
}

/** Makes a tool's return value fit to keep. It never throws: the call is done, whatever its result looks like. */
export async function readResult(
  { transcripts }: ActivityPorts,
  tool: Tool,
  value: unknown,
  fromBytes: number,
): Promise<ReadResult> {
  const json = toJson(value);
  if ('unreadable' in json) {
    const note = `Done, but the result could not be read: it cannot be written as JSON (${cleanMessage(json.unreadable)}).`;
    return { result: inline(null), note };
  }
  const issue = await outputIssue(tool, value);
  const note = issue ? { note: `Done, but the result is not what ${tool.name} declares: ${issue}.` } : {};
  try {
    return { result: await storeContent(transcripts, json.value, fromBytes), ...note };
  } catch (error) {
    const why = cleanMessage(error instanceof Error ? error.message : String(error));
    return { result: inline(null), note: `Done, but the result could not be stored: ${why}` };
  }
}

async function outputIssue({ output }: Tool, value: unknown): Promise<string | undefined> {
  if (!output) return undefined;
  try {
    const checked = await output['~standard'].validate(value);
    return checked.issues && cleanMessage(checked.issues.map((issue) => issue.message).join('; '));
  } catch (error) {
    return `its schema failed: ${readErrorFacts(error).message}`;
  }
}
