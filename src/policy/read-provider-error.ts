import { firstNumber, isPage, isRecord, parseJson, sdkNameOf, type Link } from './model-error-facts.ts';

/** What a provider itself said of its error, wherever it said so: header, body, a piece of a stream. */
export interface ProviderError {
  /** True when a body or a piece named an error. */
  readonly isNamed: boolean;
  /** Codes and types, the most telling first. */
  readonly words: readonly string[];
  readonly messages: readonly string[];
  /** Statuses said in words of the body, not the answer's own. */
  readonly statuses: readonly number[];
  readonly metadata: Link;
  /** OpenRouter's `availability`. */
  readonly availability: Link;
  /** Google's `details`. */
  readonly details: readonly Link[];
}

/**
 * Reads the error objects of a chain: parsed data, else the answer's body, else the value that did not fit the SDK's schema, else
 * the error itself when it is a piece of a stream (those are plain objects).
 */
export function readProviderError(links: readonly Link[], headers: Readonly<Record<string, string>>): ProviderError {
  const outer = links.flatMap(errorObjectsOf);
  // OpenRouter passes on what the provider behind it answered.
  const objects = [...outer, ...outer.flatMap(({ metadata }) => errorsIn(rawOf(metadata)))];
  const metadata = mergeAll(objects.map(({ metadata }) => metadata));
  const availability = mergeAll(objects.map(({ availability }) => availability));
  const details = objects
    .flatMap(({ details }) => (Array.isArray(details) ? (details as unknown[]) : [details]))
    .filter(isRecord);
  const inner = objects.flatMap(({ innererror, inner_error }) => [innererror, inner_error]).filter(isRecord);
  const words = [
    // The name before the colon; the rest is an address.
    (headers['x-amzn-errortype'] ?? '').split(':')[0],
    ...[availability['code'], metadata['limit_source'], metadata['reason'], metadata['error_type']],
    ...details.flatMap(({ error_code, reason }) => [error_code, reason]),
    ...inner.map(({ code }) => code),
    ...objects.flatMap(({ code, error_type, type, status, __type }) => [code, error_type, type, status, __type]),
  ];
  const numbers = objects.flatMap(({ code, status, http_status, statusCode }) => [
    code,
    status,
    http_status,
    statusCode,
  ]);
  return {
    isNamed: objects.length > 0,
    words: words.filter((word): word is string => typeof word === 'string' && word !== ''),
    messages: [
      ...objects.map(({ message, Message }) => message ?? Message),
      plainBody(links),
      plainMessage(links),
    ].filter((message) => typeof message === 'string'),
    statuses: numbers.map(Number).filter((status) => Number.isInteger(status) && status >= 400 && status < 600),
    metadata,
    availability,
    details,
  };
}

function errorObjectsOf(link: Link): readonly Link[] {
  const value = link['data'] ?? parseJson(link['responseBody']) ?? link['value'];
  const found = errorsIn(value);
  if (found.length > 0) return found;
  return isPiece(link) ? errorsIn({ error: link }) : [];
}

/** A piece of a stream is no Error, and says what it is in a message, a code or a type. */
function isPiece(link: Link): boolean {
  if (link instanceof Error || 'stack' in link) return false;
  return ['message', 'code', 'type', 'error'].some((key) => key in link);
}

/** The error objects of a body: `error`, that of a failed response or choice, or the body itself where servers write it flat. */
export function errorsIn(body: unknown): readonly Link[] {
  if (Array.isArray(body)) return body.flatMap(errorsIn);
  if (!isRecord(body)) return [];
  const { error, response, choices } = body;
  if (typeof error === 'string') return [{ message: error }];
  if (isRecord(error)) return isRecord(error['error']) ? errorsIn(error) : [error];
  const deeper = [response, ...(Array.isArray(choices) ? (choices as unknown[]) : [])].flatMap(errorsIn);
  return deeper.length > 0 ? deeper : isFlat(body) ? [body] : [];
}

/** `{ message, … }` with nothing of an answer in it: older vLLM, API Management, AWS. */
function isFlat(body: Link): boolean {
  const says = typeof (body['message'] ?? body['Message']) === 'string';
  return says && !('choices' in body) && !('output' in body) && !('candidates' in body) && !('content' in body);
}

/** Text of a gateway that writes no JSON; a page of HTML says nothing. */
function plainBody(links: readonly Link[]): string | undefined {
  const body = links.map(({ responseBody }) => responseBody).find((text) => typeof text === 'string');
  if (body === undefined || isPage(body) || parseJson(body) !== undefined) return undefined;
  return body.slice(0, 500);
}

/** What the SDK made of a refusal. Other errors of its quote what they could not read: the model's own words. */
function plainMessage(links: readonly Link[]): string | undefined {
  const call = links.find((link) => sdkNameOf(link) === 'APICallError');
  const status = firstNumber(links, ['statusCode']) ?? 0;
  return call && status >= 400 && typeof call['message'] === 'string' ? call['message'] : undefined;
}

const rawOf = (metadata: unknown): unknown => (isRecord(metadata) ? parseJson(metadata['raw']) : undefined);

function mergeAll(values: readonly unknown[]): Link {
  return Object.assign({}, ...values.filter(isRecord)) as Link;
}
