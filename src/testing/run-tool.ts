import type { Schema, Tool, ToolContext } from '../contracts/tool.ts';
import { toolContext } from './tool-context.ts';

/**
 * Runs a tool once by itself, as a run would with these arguments: its schema reads them first, and its `output` schema,
 * where it has one, the result. Resolves with what the tool returns.
 * @throws Error when the arguments or the result do not fit their schema; otherwise what the tool throws.
 */
export async function runTool(tool: Tool, input: unknown, context: ToolContext = toolContext()): Promise<unknown> {
  const parsed = await parse(tool.input, input, `The arguments of ${tool.name} were not accepted`);
  const result = await tool.execute(parsed, context);
  if (tool.output) await parse(tool.output, result, `The result of ${tool.name} is not what it declares`);
  return result;
}

async function parse(schema: Schema, value: unknown, trouble: string): Promise<unknown> {
  const checked = await schema['~standard'].validate(value);
  if (!checked.issues) return checked.value;
  const issues = checked.issues.map(({ message, path = [] }) => [...path.map(nameOf), message].join(': '));
  throw new Error(`${trouble}: ${issues.join('; ')}`);
}

const nameOf = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === 'object' ? part.key : part);
