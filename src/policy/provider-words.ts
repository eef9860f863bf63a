import type { FailureReason } from '../contracts/failure.ts';

/**
 * The codes and types by which providers name their errors, in the places read-provider-error.ts looks at. Written as the
 * providers write them; compared without case, `_` and `-`. Names that more than one meaning share are not here.
 */
const WORDS: Readonly<Partial<Record<FailureReason, readonly string[]>>> = {
  rate: [
    ...['rate_limit_exceeded', 'rate_limit_error', 'rate_limit', 'rate_limited', 'too_many_requests'],
    ...['RESOURCE_EXHAUSTED', 'ThrottlingException', 'TooManyRequestsException', 'RequestLimitExceeded'],
  ],
  ramp: ['slow_down'],
  capacity: ['capacity_exhausted', 'capacity_exceeded', 'no_capacity'],
  overload: [
    ...['overloaded_error', 'overloaded', 'server_is_overloaded', 'engine_overloaded', 'engine_overloaded_error'],
    ...['service_unavailable_error', 'service_unavailable', 'UNAVAILABLE', 'ServiceUnavailableException'],
    ...['ModelNotReadyException', 'temporarily_unavailable', 'provider_overloaded'],
  ],
  timeout: [
    ...['timeout', 'timeout_error', 'request_timeout', 'gateway_timeout', 'ModelTimeoutException'],
    ...['DEADLINE_EXCEEDED'],
  ],
  server: [
    ...['server_error', 'api_error', 'internal_error', 'internal_server_error', 'InternalServerError', 'INTERNAL'],
    ...['InternalServerException', 'InternalFailure', 'ModelErrorException', 'modelStreamErrorException'],
    ...['provider_unavailable', 'bad_gateway', 'server'],
  ],
  conflict: ['conflict', 'conflict_error', 'ConflictException', 'ABORTED'],
  auth: [
    ...['invalid_api_key', 'authentication_error', 'authentication', 'invalid_authentication', 'API_KEY_INVALID'],
    ...['API_KEY_EXPIRED', 'UNAUTHENTICATED', 'ExpiredTokenException', 'ExpiredToken', 'UnrecognizedClientException'],
    ...['InvalidSignatureException', 'SignatureDoesNotMatch', 'IncompleteSignature', 'MissingAuthenticationToken'],
    ...['MissingAuthenticationTokenException', 'InvalidClientTokenId', 'account_deactivated'],
  ],
  forbidden: [
    ...['permission_error', 'permission_denied', 'access_denied', 'AccessDeniedException', 'request_forbidden'],
    ...['unsupported_country_region_territory', 'FAILED_PRECONDITION', 'region_restricted', 'PERMISSION_DENIED'],
    ...['precondition_failed', 'API_KEY_SERVICE_BLOCKED', 'SERVICE_DISABLED'],
  ],
  'state-lost': ['previous_response_not_found', 'conversation_not_found'],
  'wrong-endpoint': ['wrong_endpoint'],
  'not-found': [
    ...['model_not_found', 'not_found_error', 'not_found', 'NotFoundError', 'ResourceNotFoundException'],
    ...['DeploymentNotFound', 'model_deprecated', 'privacy_restricted', 'constraint_filtered', 'free_variant_ended'],
    ...['no_endpoints', 'model_unavailable_upstream'],
  ],
  'too-large': [
    ...['request_too_large', 'payload_too_large', 'image_too_large', 'string_too_long', 'string_above_max_length'],
  ],
  'bad-request': [
    ...['invalid_request_error', 'invalid_request', 'INVALID_ARGUMENT', 'ValidationException', 'BadRequestError'],
    ...['invalid_function_parameters', 'unprocessable', 'unprocessable_entity', 'OUT_OF_RANGE'],
  ],
};

const plain = (word: string): string => word.toLowerCase().replace(/[_\-\s]/g, '');

const REASONS = new Map(
  Object.entries(WORDS).flatMap(([reason, words]) => words.map((word) => [plain(word), reason as FailureReason])),
);

/** The reasons a provider's words stand for, in the order of the words. */
export function reasonsOfWords(words: readonly string[]): readonly FailureReason[] {
  return words.map((word) => REASONS.get(plain(word))).filter((reason) => reason !== undefined);
}

/** Whether one of `words` is among `known`, written either way. */
export function hasWord(words: readonly string[], known: readonly string[]): boolean {
  const plainly = known.map(plain);
  return words.some((word) => plainly.includes(plain(word)));
}
