import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../contracts/messages.ts';

/** The names of our search attributes. */
export type AttributeName = keyof typeof SEARCH_ATTRIBUTES;

/** What the server let us learn about one attribute. `why` is for people. */
export type AttributeState =
  | { readonly is: 'present' }
  | { readonly is: 'missing' }
  | { readonly is: 'other-type'; readonly type: string }
  | { readonly is: 'unknown'; readonly why: string };

/** How registering one attribute went. */
export type RegisterOutcome =
  { readonly is: 'created' | 'already-there' } | { readonly is: 'no-permission' | 'failed'; readonly why: string };

type Service = Pick<Connection, 'operatorService' | 'workflowService' | 'withDeadline'>;
type PerAttribute<Value> = Readonly<Record<AttributeName, Value>>;

const NAMES = Object.keys(SEARCH_ATTRIBUTES) as AttributeName[];
const CALL_WITHIN_MS = 10_000;
// IndexedValueType of Temporal's API.
const TYPES = { KEYWORD: 2, INT: 3, KEYWORD_LIST: 7 } as const;
const TYPE_NAMES = ['unspecified', 'Text', 'Keyword', 'Int', 'Double', 'Bool', 'Datetime', 'KeywordList'];
// gRPC's codes; grpc-js is the client's dependency, not ours.
const INVALID_ARGUMENT = 3;
const ALREADY_EXISTS = 6;
// Permission denied, unimplemented (no operator service there), unauthenticated.
const NO_PERMISSION: ReadonlySet<number | undefined> = new Set([7, 12, 16]);

/**
 * Tells for each of our search attributes whether a namespace has it. Listing them takes rights that many users lack (on
 * Temporal Cloud all do), so each one is otherwise tried in a query that matches nothing. Never throws.
 */
export async function findSearchAttributes(service: Service, namespace: string): Promise<PerAttribute<AttributeState>> {
  try {
    const answer = await inTime(service, () => service.operatorService.listSearchAttributes({ namespace }));
    return await forEach((name) => Promise.resolve(readState(name, answer.customAttributes[name])));
  } catch {
    return forEach((name) => tryInQuery(service, namespace, name));
  }
}

/** Registers what is missing and reports on each attribute. Never throws; may be repeated. */
export async function registerSearchAttributes(
  service: Service,
  namespace: string,
): Promise<PerAttribute<RegisterOutcome>> {
  const states = await findSearchAttributes(service, namespace);
  return forEach((name) => registerOne(service, namespace, name, states[name]));
}

async function registerOne(
  service: Service,
  namespace: string,
  name: AttributeName,
  state: AttributeState,
): Promise<RegisterOutcome> {
  if (state.is === 'present') return { is: 'already-there' };
  if (state.is === 'other-type')
    return { is: 'failed', why: `exists as ${state.type}, must be ${TYPE_NAMES[typeOf(name)] ?? name}` };
  const searchAttributes = { [name]: typeOf(name) };
  try {
    await inTime(service, () => service.operatorService.addSearchAttributes({ namespace, searchAttributes }));
    return { is: 'created' };
  } catch (error) {
    return readRefusal(error);
  }
}

async function tryInQuery(service: Service, namespace: string, name: AttributeName): Promise<AttributeState> {
  try {
    const query = `${name} IS NULL AND WorkflowId = ""`;
    await inTime(service, () => service.workflowService.countWorkflowExecutions({ namespace, query }));
    return { is: 'present' };
  } catch (error) {
    return codeOf(error) === INVALID_ARGUMENT ? { is: 'missing' } : { is: 'unknown', why: reasonOf(error) };
  }
}

function readState(name: AttributeName, type: number | null | undefined): AttributeState {
  if (type === undefined || type === null) return { is: 'missing' };
  return type === typeOf(name) ? { is: 'present' } : { is: 'other-type', type: TYPE_NAMES[type] ?? `type ${type}` };
}

function readRefusal(error: unknown): RegisterOutcome {
  const code = codeOf(error);
  if (code === ALREADY_EXISTS) return { is: 'already-there' };
  return { is: NO_PERMISSION.has(code) ? 'no-permission' : 'failed', why: reasonOf(error) };
}

function typeOf(name: AttributeName): number {
  return TYPES[SEARCH_ATTRIBUTES[name]];
}

async function forEach<Value>(look: (name: AttributeName) => Promise<Value>): Promise<PerAttribute<Value>> {
  const entries = await Promise.all(NAMES.map(async (name) => [name, await look(name)] as const));
  // Complete, because it is built from all names.
  return Object.fromEntries(entries) as PerAttribute<Value>;
}

function inTime<Answer>(service: Service, call: () => Promise<Answer>): Promise<Answer> {
  return service.withDeadline(Date.now() + CALL_WITHIN_MS, call);
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: number }).code;
}

function reasonOf(error: unknown): string {
  const { details, message } = error as { details?: string; message: string };
  return details || message;
}
