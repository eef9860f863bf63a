import { CHECK_OUTCOME } from '../contracts/tool.ts';
import type {
  OutputOf,
  Prior,
  RunFacts,
  Schema,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolMiddleware,
} from '../contracts/tool.ts';
import { TOOL_BACKOFF } from './backoff.ts';
import { backoffOf } from './backoff-of.ts';
import { durationMs } from './duration-ms.ts';
import { effectOf } from './effect-of.ts';
import { wrapTool } from './wrap-tool.ts';
import { isReservedArgument } from './reserved-arguments.ts';

export const TOOL_DEFAULTS = Object.freeze({
  maxAttempts: 4,
  landsWithinMs: 600_000,
  /** Receivers forget keys after about a day. */
  keyValidForMs: 72_000_000,
});

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ONLY_FOR_WRITERS = [
  ...(['intent', 'landsWithin', 'onUnknown', 'thrown', 'confirm', 'afterConfirm'] as const),
  ...(['keyValidFor', 'onRepeat', 'cancel'] as const),
];

/**
 * Checks a tool's definition and derives what follows from its flags. Types of `input` come from the schema.
 * @throws when the definition is wrong, with what to write instead. Nothing wrong waits until the tool is called.
 */
export function defineTool<Input extends Schema, Output extends Schema = Schema>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, input, output, intent, confirm, cancel, amount, needsApproval, onRepeat, execute } = definition;
  checkName('tool', name);
  if (name === CHECK_OUTCOME)
    throw new Error(`Tool "${name}": the name is taken by Holdfast's own tool. Choose another.`);
  checkShape(definition);
  const tool: Tool = {
    name,
    description: definition.description,
    effect: effectOf(definition),
    input,
    output,
    inputJsonSchema: jsonSchemaOf(name, input),
    timeoutMs: durationMs(definition.timeout, `Tool "${name}": timeout`),
    totalTimeoutMs:
      definition.totalTimeout === undefined
        ? undefined
        : durationMs(definition.totalTimeout, `Tool "${name}": totalTimeout`),
    maxAttempts: attemptsOf(name, definition.maxAttempts),
    backoff: backoffOf(definition.backoff, TOOL_BACKOFF, `Tool "${name}": backoff`),
    landsWithinMs:
      definition.landsWithin === undefined
        ? TOOL_DEFAULTS.landsWithinMs
        : durationMs(definition.landsWithin, `Tool "${name}": landsWithin`),
    keyValidForMs: keyValidForOf(definition),
    onUnknown: definition.onUnknown ?? 'wait',
    afterConfirm: definition.afterConfirm ?? 'tell-model',
    thrown: definition.thrown ?? 'unknown',
    refusedStatuses: definition.refusedStatuses ?? [],
    // The schema has parsed the input before either is called: `planCall` and `callTool` are the only callers.
    intent: intent && ((parsed: unknown) => intent(parsed as OutputOf<Input>)),
    classify: definition.classify,
    confirm: confirm && ((parsed: unknown, ctx: ToolContext) => confirm(parsed as OutputOf<Input>, ctx)),
    cancel: cancel && ((parsed: unknown, ctx: ToolContext) => cancel(parsed as OutputOf<Input>, ctx)),
    amount: amount && ((parsed: unknown) => amount(parsed as OutputOf<Input>)),
    needsApproval:
      typeof needsApproval === 'function'
        ? (parsed: unknown, run: RunFacts) => needsApproval(parsed as OutputOf<Input>, run)
        : (needsApproval ?? false),
    onRepeat:
      typeof onRepeat === 'function'
        ? (parsed: unknown, prior: Prior) => onRepeat(parsed as OutputOf<Input>, prior)
        : (onRepeat ?? 'ask'),
    breaks: !builtInsLeftOut(definition).includes('breaker'),
    execute: (parsed: unknown, ctx: ToolContext) => execute(parsed as OutputOf<Input>, ctx),
  };
  const wrapped = wrapTool(tool, wrappersOf(definition));
  DEFINED.add(wrapped);
  return Object.freeze(wrapped);
}

/** What came out of `defineTool`: an agent takes nothing else, because nothing else has been checked. */
const DEFINED = new WeakSet<Tool>();
export const isDefinedTool = (tool: Tool): boolean => DEFINED.has(tool);

/** Names travel to model providers, activity summaries and search attributes: the strictest of them decides. */
export function checkName(what: 'tool' | 'agent', name: unknown): void {
  if (typeof name === 'string' && NAME.test(name)) return;
  throw new Error(
    `${what === 'tool' ? 'Tool' : 'Agent'} name ${JSON.stringify(name)} cannot be used. Write 1 to 64 letters, digits, "_" or "-", e.g. "refund_order".`,
  );
}

const OPTIONS: readonly string[] = [
  ...['name', 'description', 'input', 'output', 'readOnly', 'idempotent', 'timeout', 'totalTimeout', 'maxAttempts'],
  ...[
    'intent',
    'landsWithin',
    'onUnknown',
    'confirm',
    'afterConfirm',
    'thrown',
    'refusedStatuses',
    'classify',
    'execute',
  ],
  ...['keyValidFor', 'amount', 'needsApproval', 'onRepeat', 'cancel', 'wrap', 'without', 'backoff'],
];

function builtInsLeftOut({ name, without = [] }: { readonly name: string; readonly without?: readonly 'breaker'[] }) {
  const given: unknown = without;
  if (Array.isArray(given) && given.every((part) => part === 'breaker')) return without;
  throw new Error(`Tool "${name}": without is ${JSON.stringify(given)}. Write ['breaker'], or leave it out.`);
}

function wrappersOf({ name, wrap = [] }: { readonly name: string; readonly wrap?: readonly ToolMiddleware[] }) {
  const given: unknown = wrap;
  if (!Array.isArray(given)) throw new Error(`Tool "${name}": wrap is no list. Write [ … ].`);
  const odd: unknown = given.find((one) => typeof one !== 'function');
  if (odd === undefined) return wrap;
  throw new Error(
    `Tool "${name}": wrap has ${JSON.stringify(odd)}. Write functions: next => request => next(request).`,
  );
}

function checkShape(definition: ToolDefinition<Schema>): void {
  const misspelt = Object.keys(definition).find((option) => !OPTIONS.includes(option));
  if (misspelt) {
    throw new Error(`Tool "${definition.name}" has no option "${misspelt}". The options are ${OPTIONS.join(', ')}.`);
  }
  const { name, readOnly, timeout, execute, description } = definition;
  if (timeout === undefined) {
    throw new Error(
      `Tool "${name}" has no timeout. Add e.g. timeout: '30s': how long one attempt may take before its outcome counts as unknown.`,
    );
  }
  if (typeof execute !== 'function') throw new Error(`Tool "${name}" has no execute(input, ctx) function. Add one.`);
  if (typeof description !== 'string' || description.trim() === '') {
    throw new Error(`Tool "${name}" has no description. Write one sentence that tells the model what the tool does.`);
  }
  const [wrong] = readOnly ? ONLY_FOR_WRITERS.filter((option) => definition[option] !== undefined) : [];
  if (wrong) {
    throw new Error(
      `Tool "${name}" is readOnly and has ${wrong}. A tool that changes nothing has no effect to settle: drop ${wrong}, or drop readOnly.`,
    );
  }
  checkChoice(name, 'onUnknown', definition.onUnknown, ['wait', 'tell-model']);
  checkChoice(name, 'afterConfirm', definition.afterConfirm, ['tell-model', 'retry']);
  if (definition.afterConfirm && !definition.confirm) {
    throw new Error(
      `Tool "${name}" has afterConfirm and no confirm(input, ctx): there is no look-up it could follow. Add one.`,
    );
  }
  checkFunction(name, 'amount', definition.amount);
  checkFunction(name, 'cancel', definition.cancel);
  if (typeof definition.needsApproval !== 'function') {
    checkChoice(name, 'needsApproval', definition.needsApproval, [true, false]);
  }
  if (typeof definition.onRepeat !== 'function') checkChoice(name, 'onRepeat', definition.onRepeat, ['ask', 'block']);
  if (definition.cancel && effectOf(definition) !== 'unflagged') {
    throw new Error(
      `Tool "${name}" is idempotent and has cancel(input, ctx): its attempts are aborted and repeated, never called off. Drop cancel, or the flag.`,
    );
  }
  if (definition.keyValidFor !== undefined && !definition.idempotent) {
    throw new Error(`Tool "${name}" has keyValidFor and is not idempotent: no key of it is ever sent twice. Drop it.`);
  }
  checkChoice(name, 'thrown', definition.thrown, ['unknown', 'refused']);
  checkChoice(name, 'idempotent', definition.idempotent, [true, 'by-key']);
}

function checkFunction(tool: string, option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new Error(`Tool "${tool}": ${option} is ${JSON.stringify(value)}. Write a function of the input.`);
}

function keyValidForOf({ name, keyValidFor, idempotent, readOnly }: ToolDefinition<Schema>): number | undefined {
  if (keyValidFor !== undefined) return durationMs(keyValidFor, `Tool "${name}": keyValidFor`);
  return idempotent === 'by-key' && !readOnly ? TOOL_DEFAULTS.keyValidForMs : undefined;
}

function checkChoice(tool: string, option: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || value === false || choices.includes(value)) return;
  const names = choices.map((choice) => JSON.stringify(choice)).join(' or ');
  throw new Error(`Tool "${tool}": ${option} is ${JSON.stringify(value)}. Write ${names}, or leave it out.`);
}

function attemptsOf(tool: string, attempts: number | undefined): number {
  if (attempts === undefined) return TOOL_DEFAULTS.maxAttempts;
  if (Number.isInteger(attempts) && attempts >= 1) return attempts;
  throw new Error(`Tool "${tool}": maxAttempts is ${attempts}. It counts the first attempt too: write 1 or more.`);
}

function jsonSchemaOf(tool: string, schema: Schema): Readonly<Record<string, unknown>> {
  const standard = (schema as Partial<Schema> | undefined)?.['~standard'];
  if (!standard?.validate || !standard.jsonSchema) {
    throw new Error(
      `Tool "${tool}": input is not a Standard Schema that can describe itself as JSON Schema. Use e.g. zod 4.2 or newer: input: z.object({ … }).`,
    );
  }
  const json = describeInput(tool, standard);
  if (json['type'] !== 'object') {
    throw new Error(`Tool "${tool}": input must be an object, the only form models can call: input: z.object({ … }).`);
  }
  const reserved = Object.keys(json['properties'] ?? {}).find(isReservedArgument);
  if (reserved !== undefined) {
    throw new Error(
      `Tool "${tool}" lets the model fill in "${reserved}". Its identity is not the model's to choose: drop it from input, and send ctx.idempotencyKey in execute.`,
    );
  }
  return json;
}

function describeInput(tool: string, standard: Schema['~standard']): Record<string, unknown> {
  try {
    return standard.jsonSchema.input({ target: 'draft-07' });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Tool "${tool}": input cannot be shown to a model: ${why} Use what JSON knows, e.g. z.iso.datetime() for a date, and convert it in execute.`,
      { cause },
    );
  }
}
