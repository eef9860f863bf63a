import type { Fixture } from './fixture.ts';
import { isModelProvider } from './run-model-case.ts';

type Rule = (value: unknown, at: string) => readonly string[];
interface Shape {
  readonly needs?: readonly string[];
  readonly fields: Readonly<Record<string, Rule>>;
}

/** What is wrong with a case, a line each. Empty: it is one, and can be run. */
export function faultsOfFixture(value: unknown): readonly string[] {
  const faults = CASE(value, '');
  if (faults.length > 0) return faults;
  const { provider, call, response, responses, tool, fault, expect } = value as Fixture;
  const calls = callsOf(provider);
  return [
    ...(calls.includes(call) ? [] : [`call: ${say(call)} is none of ${provider}. Use ${calls.join(' or ')}.`]),
    ...(response && responses ? ['response and responses: give one of them.'] : []),
    ...(provider === 'tool' && !tool ? ['tool: a case of a tool needs one.'] : []),
    ...(isModelProvider(provider) && !response && !responses && !fault ? ['response: no answer and no fault.'] : []),
    ...(Object.keys(expect).some((field) => !FOR_PEOPLE.includes(field)) ? [] : ['expect: nothing to compare.']),
  ];
}

const FOR_PEOPLE = ['note', 'remedy', 'modelSees'];
const CALLS: Readonly<Record<string, readonly string[]>> = {
  tool: ['execute'],
  'openrouter-generation': ['get'],
  mcp: ['tools/call'],
};
const callsOf = (provider: string): readonly string[] => CALLS[provider] ?? ['generate', 'stream'];

const say = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? 'nothing';
const under = (at: string, field: string): string => (at === '' ? field : `${at}.${field}`);

const any: Rule = () => [];
const when =
  (holds: (value: unknown) => boolean, wanted: string): Rule =>
  (value, at) =>
    holds(value) ? [] : [`${at}: ${say(value)} is not ${wanted}.`];

const text = when((value) => typeof value === 'string', 'a text');
const name = when((value) => typeof value === 'string' && value !== '', 'a name');
const yesOrNo = when((value) => typeof value === 'boolean', 'true or false');
const count = when((value) => Number.isInteger(value) && Number(value) >= 0, 'a whole number of 0 or more');
const status = when(
  (value) => Number.isInteger(value) && Number(value) >= 100 && Number(value) < 600,
  'an HTTP status',
);
/** ISO, with a day that the calendar has. */
const moment = when((value) => typeof value === 'string' && isMoment(value), 'a time like "2026-11-30T10:00:00Z"');
const oneOf = (...words: readonly unknown[]): Rule =>
  when((value) => words.includes(value), `one of ${words.map(say).join(', ')}`);
const texts: Rule = (value, at) =>
  isRecord(value)
    ? Object.entries(value).flatMap(([field, item]) => text(item, under(at, field)))
    : [`${at}: ${say(value)} is not an object of texts.`];
const listOf =
  (rule: Rule): Rule =>
  (value, at) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => rule(item, `${at}[${index}]`))
      : [`${at}: ${say(value)} is not a list.`];
const filled =
  (rule: Rule): Rule =>
  (value, at) =>
    Array.isArray(value) && value.length === 0 ? [`${at}: an empty list.`] : rule(value, at);
const shape =
  ({ needs = [], fields }: Shape): Rule =>
  (value, at) => {
    if (!isRecord(value)) return [`${at === '' ? 'the case' : at}: ${say(value)} is not an object.`];
    return [
      ...needs.filter((field) => value[field] === undefined).map((field) => `${under(at, field)}: is missing.`),
      ...Object.entries(value).flatMap(([field, item]) => {
        const rule = Object.hasOwn(fields, field) ? fields[field] : undefined;
        return rule ? rule(item, under(at, field)) : [`${under(at, field)}: nobody knows this field.`];
      }),
    ];
  };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMoment(value: string): boolean {
  const [, day] = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.exec(value) ?? [];
  const date = Date.parse(`${day ?? ''}T00:00:00Z`);
  return !Number.isNaN(date) && !Number.isNaN(Date.parse(value)) && new Date(date).toISOString().slice(0, 10) === day;
}

const RESPONSE = shape({
  fields: {
    status,
    headers: texts,
    body: any,
    parts: listOf(text),
    sse: listOf(shape({ fields: { event: text, data: any, comment: text, raw: text } })),
    awsEvents: listOf(shape({ needs: ['headers'], fields: { headers: texts, payload: any, cutBytes: count } })),
    delayMs: count,
    hang: yesOrNo,
    end: oneOf('clean', 'close', 'reset', 'reset-now', 'hang', 'bad-chunk'),
    refuse: any,
  },
});

const FAULT = shape({
  needs: ['kind'],
  fields: {
    kind: oneOf(
      ...['connection-refused', 'dns', 'connect-error', 'connect-timeout', 'reset-before-headers', 'headers-timeout'],
      ...['close-before-headers', 'body-timeout', 'raw-bytes', 'tls-cert', 'tls-plain-http', 'tls-handshake-reset'],
      ...['tls-bad-record', 'tls-bad-record-upstream', 'client-abort'],
    ),
    code: name,
    bytes: text,
    cert: oneOf('selfsigned', 'expired', 'wronghost'),
    trust: yesOrNo,
    afterBytes: count,
  },
});

const CLIENT = shape({
  fields: {
    ...{ headersTimeoutMs: count, bodyTimeoutMs: count, connectTimeoutMs: count, attemptTimeoutMs: count },
    ...{ callerAbortMs: count, callerReason: name, callerTimeoutMs: count, timeoutMs: count },
  },
});

const TOOL = shape({
  needs: ['name'],
  fields: {
    ...{ name, readOnly: yesOrNo, sideEffect: yesOrNo, idempotent: oneOf(true, 'by-key'), idempotencyKey: name },
    ...{ via: oneOf('ctx.fetch', 'own client'), thrown: oneOf('unknown', 'refused'), annotations: any },
    refusedStatuses: listOf(status),
  },
});

const OUTCOME = shape({
  fields: {
    http: shape({ needs: ['status'], fields: { status, headers: texts, body: any } }),
    socket: name,
    throws: when(isRecord, 'an object'),
    ...{ timeout: yesOrNo, crash: yesOrNo, returns: any },
  },
});

const WAIT = shape({
  needs: ['source'],
  fields: { source: oneOf('none', 'backoff', 'server', 'schedule'), ms: any, from: name },
});

const EXPECT = shape({
  fields: {
    class: oneOf('transient', 'rate-limited', 'ambiguous', 'model-error', 'permanent', 'cancelled', 'ok'),
    ...{ reason: name, retry: yesOrNo, wait: WAIT, resetsAt: moment, overCap: yesOrNo, runTools: yesOrNo },
    ...{ resetStream: yesOrNo, billed: oneOf('yes', 'no', 'unknown'), sent: oneOf('yes', 'no', 'maybe') },
    ...{ note: any, remedy: any, modelSees: any },
  },
});

const CASE = shape({
  needs: ['name', 'provider', 'call', 'expect'],
  fields: {
    ...{ name, title: text, call: name, tools: listOf(name), now: moment, response: RESPONSE },
    provider: when((value) => isModelProvider(String(value)) || Object.hasOwn(CALLS, String(value)), 'a provider here'),
    responses: filled(listOf(RESPONSE)),
    ...{ fault: FAULT, client: CLIENT, tool: TOOL, outcome: OUTCOME, expect: EXPECT, observed: any, protocol: any },
  },
});
