import type { FailureReason } from '../contracts/failure.ts';
import { classOfReason } from './class-of-reason.ts';
import type { FailedCall, Named } from './failed-call.ts';
import { readLength } from './length-words.ts';
import { isRecord, parseJson, sdkNameOf, type Link } from './model-error-facts.ts';
import { readMoney } from './money-words.ts';
import { reasonsOfWords } from './provider-words.ts';
import { readRefusal } from './refusal-words.ts';
import { readSaidOfContent } from './said-of-content.ts';
import { reasonOfStatus } from './status-reasons.ts';
import { readTransportFault } from './transport-codes.ts';

/** Names an error by the first question that has an answer. */
export function nameError(call: FailedCall): Named {
  return (
    byTransport(call) ??
    byAvailability(call) ??
    byContent(call) ??
    byShouldRetry(call) ??
    byWords(call) ??
    byShape(call) ?? { reason: 'bug' }
  );
}

/** A code of the transport, before or after the headers; what a provider said in its own words goes before one. */
function byTransport({ links, said, status }: FailedCall): Named | undefined {
  const fault = readTransportFault(links);
  if (!fault || (said.isNamed && status !== undefined && status >= 400)) return undefined;
  if (status === undefined) return { reason: fault.reason, sent: fault.sent };
  // Once the answer flows, a broken record is a broken connection.
  return { reason: fault.reason === 'tls-record' ? 'network' : fault.reason, sent: 'yes' };
}

/** OpenRouter says itself whether a model that is not to be had will be. */
function byAvailability(call: FailedCall): Named | undefined {
  const { retryable } = call.said.availability;
  if (typeof retryable !== 'boolean') return undefined;
  const reason = reasonByWords(call) ?? reasonBySaidStatus(call) ?? 'server';
  const passes = ['transient', 'rate-limited'].includes(classOfReason(reason));
  if (retryable) return passes ? { reason } : { reason: 'capacity', class: 'transient' };
  return passes ? { reason, class: 'permanent' } : { reason };
}

/** Money, length and policy: never cured by waiting, whatever a status or a header says. */
function byContent(call: FailedCall): Named | undefined {
  const { metadata, statuses } = call.said;
  const content = readSaidOfContent(call);
  const money = readMoney(content, call.status === undefined ? statuses : [call.status, ...statuses]);
  if (money) return { reason: money === 'passing' ? 'in-flight-budget' : 'billing' };
  const length = readLength(content);
  if (length) return { reason: length === 'context' ? 'context-length' : 'request-over-limit' };
  const refusal = readRefusal(content, metadata);
  return refusal && { reason: refusal === 'filter' ? 'content-filter' : 'refusal' };
}

/** `x-should-retry`: the server's own word on a status that is read the other way. */
function byShouldRetry(call: FailedCall): Named | undefined {
  const told = call.headers['x-should-retry']?.trim().toLowerCase();
  if (told !== 'true' && told !== 'false') return undefined;
  const reason = reasonOf(call);
  const passes = reason !== undefined && ['transient', 'rate-limited'].includes(classOfReason(reason));
  if (told === 'true') return passes ? undefined : { reason: 'server-said-yes' };
  return passes ? { reason: 'server-said-no' } : undefined;
}

function byWords(call: FailedCall): Named | undefined {
  const reason = reasonOf(call);
  return reason && { reason };
}

/** What a provider said, and where it said nothing that is known: the status. */
function reasonOf(call: FailedCall): FailureReason | undefined {
  const { status, said } = call;
  const word = reasonByWords(call);
  const coded = reasonBySaidStatus(call);
  // A status the SDK made up, or that of an answer which was fine so far: only the words count.
  if (status === undefined || status < 400) return refine(word ?? coded ?? (said.isNamed ? 'server' : undefined), call);
  const plain = reasonOfStatus(status);
  return refine(word !== undefined && isFiner(word, plain) ? word : plain, call);
}

function reasonByWords({ said }: FailedCall): FailureReason | undefined {
  // The general words come last in the list of what they may stand beside.
  const reasons = reasonsOfWords(said.words);
  return (
    reasons.find((reason) => reason !== 'bad-request' && reason !== 'not-found') ??
    reasons.find((reason) => reason !== 'bad-request') ??
    reasons[0]
  );
}

function reasonBySaidStatus({ said }: FailedCall): FailureReason | undefined {
  return said.statuses.map(reasonOfStatus).find((reason) => reason !== undefined);
}

/** Words that say more than a status; otherwise the status is the firmer ground. A 400 says nothing at all. */
const FINER: Readonly<Partial<Record<FailureReason, readonly FailureReason[]>>> = {
  forbidden: ['auth', 'not-found', 'rate'],
  'not-found': ['state-lost', 'wrong-endpoint', 'auth'],
  rate: ['ramp', 'capacity', 'overload'],
  server: ['overload', 'timeout', 'rate', 'ramp', 'capacity'],
};

function isFiner(word: FailureReason, plain: FailureReason | undefined): boolean {
  return plain === 'bad-request' || (plain !== undefined && (FINER[plain]?.includes(word) ?? false));
}

const HIGH_DEMAND = /high demand|at capacity|no capacity|capacity exceeded|overloaded/i;
const STATE_LOST =
  /(item|response|conversation|container) with id .{1,80} not found|previous response .{1,80} not found/i;

/** What only a quota's name or words tell apart. */
function refine(reason: FailureReason | undefined, { said }: FailedCall): FailureReason | undefined {
  const { messages, details } = said;
  if (reason === 'not-found' || reason === 'bad-request') {
    return messages.some((message) => STATE_LOST.test(message)) ? 'state-lost' : reason;
  }
  if (reason !== 'rate') return reason;
  const violations = details.flatMap(({ violations }) => listOf(violations)).filter(isRecord);
  if (violations.some(({ quotaId }) => /PerDay/i.test(String(quotaId)))) return 'quota-day';
  if (violations.length === 0 && messages.some(isOfTheDay)) return 'quota-day';
  return messages.some((message) => HIGH_DEMAND.test(message)) ? 'capacity' : 'rate';
}

/** Names of a quota's window. A day in passing ("our daily newsletter", "upgrade for 1000 requests per day") comes after its own. */
const DAY = /\bper[- ]day\b|\bRPD\b|\bTPD\b|\bdaily (\w+ ){0,3}(quota|limit|cap|allowance|usage)\b/i;
const SHORTER = /\bper[- ](min(ute)?|sec(ond)?|hour)\b|\b[RT]P[MS]\b/i;

function isOfTheDay(message: string): boolean {
  const day = message.search(DAY);
  const shorter = message.search(SHORTER);
  return day >= 0 && (shorter < 0 || day < shorter);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** Errors of the AI SDK that never reached a provider, by their names. */
const SDK_ERRORS: Readonly<Record<string, FailureReason>> = {
  LoadAPIKeyError: 'config',
  LoadSettingError: 'config',
  NoSuchModelError: 'config',
  NoSuchProviderError: 'config',
  NoSuchProviderReferenceError: 'config',
  UnsupportedModelVersionError: 'config',
  UnsupportedFunctionalityError: 'bug',
  InvalidArgumentError: 'bug',
  InvalidPromptError: 'bug',
  MessageConversionError: 'bug',
  MissingToolResultsError: 'bug',
  NoContentGeneratedError: 'empty',
  NoOutputGeneratedError: 'truncated',
  EmptyResponseBodyError: 'bad-response',
  DownloadError: 'network',
};

const EMPTY = /choices|candidates|output|content/i;
const CUT =
  /\b(without|no|missing)\b.*\bfinish|finish_?reason|incomplete|unexpected end|ended (early|unexpectedly|before)|remain at end|premature/i;

/** By the kind of error the SDK made of what it could not read. */
function byShape(call: FailedCall): Named | undefined {
  const { links, status, answer } = call;
  if (isOtherApi(links)) return { reason: 'wrong-endpoint' };
  const names = links.map(sdkNameOf);
  const known = names.map((name) => SDK_ERRORS[name]).find((reason) => reason !== undefined);
  if (known) return { reason: known };
  const message = links.map((link) => link['message']).find((text) => typeof text === 'string') ?? '';
  if (names.includes('InvalidResponseDataError')) return { reason: reasonOfBadData(call, message) };
  if (names.some((name) => ['TypeValidationError', 'JSONParseError', 'SyntaxError', 'ZodError'].includes(name)))
    return { reason: 'bad-response' };
  if (status !== undefined && status < 300) return { reason: 'bad-response' };
  if (names.includes('TimeoutError')) return { reason: 'timeout' };
  if (names.includes('AbortError') || names.includes('ResponseAborted')) return { reason: 'network' };
  // The stream was open: whatever broke it, the request was fine.
  if (answer) return { reason: CUT.test(message) ? 'truncated' : 'bad-response' };
  if (/stream (error|event|frame)|event[- ]stream/i.test(message)) return { reason: 'bad-response' };
  return links.some(({ isRetryable }) => isRetryable === true) ? { reason: 'network' } : undefined;
}

/** The SDK's word for an answer without a choice, for a stream without an end, and for anything else that does not fit. */
function reasonOfBadData({ answer, links }: FailedCall, message: string): FailureReason {
  if (CUT.test(message)) return 'truncated';
  const data = links.map((link) => link['data']).find(isRecord);
  const isHollow =
    data !== undefined && Object.values(data).some((value) => Array.isArray(value) && value.length === 0);
  return !answer?.begun && (isHollow || EMPTY.test(message)) ? 'empty' : 'bad-response';
}

/** A good answer of OpenAI's other API: the address is that of another protocol. */
function isOtherApi(links: readonly Link[]): boolean {
  const values = links
    .flatMap(({ data, value, responseBody }) => [data, value, parseJson(responseBody)])
    .filter(isRecord);
  return values.some(
    ({ object, choices, type, error }) =>
      !isRecord(error) &&
      ((typeof object === 'string' && /^(chat\.completion|response)/.test(object) && isMismatch(links)) ||
        (Array.isArray(choices) &&
          typeof type !== 'string' &&
          isMismatch(links) &&
          object === 'chat.completion.chunk')),
  );
}

/** The value did not fit the schema of the API that was asked. */
const isMismatch = (links: readonly Link[]): boolean =>
  links.some((link) => ['TypeValidationError', 'ZodError'].includes(sdkNameOf(link)));
