import type { Tool, ToolCall, ToolMiddleware } from '../contracts/tool.ts';
import { stricterEffect } from './effect-of.ts';

/**
 * The tool with its `execute` wrapped, outermost first. Its flags stay: a middleware that hands on a tool with other flags
 * makes them stricter for those below it, or nothing.
 */
export function wrapTool(tool: Tool, middleware: readonly ToolMiddleware[]): Tool {
  if (middleware.length === 0) return tool;
  const body: ToolCall = ({ input, ctx }) => tool.execute(input, ctx);
  const call = middleware.reduceRight<ToolCall>((next, wrap) => guard(tool, wrap(guard(tool, next))), body);
  return { ...tool, execute: (input, ctx) => call({ tool, input, ctx }) };
}

/** The tool as it is, with the stricter of its own effect and the one that was handed on. */
function guard(tool: Tool, next: ToolCall): ToolCall {
  return (request) => next({ ...request, tool: { ...tool, effect: stricterEffect(tool.effect, request.tool.effect) } });
}
