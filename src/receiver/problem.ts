/** The refusals of a keyed request, as RFC 9457 has them; the statuses are those of draft-ietf-httpapi-idempotency-key-header. */
const PROBLEMS = {
  'key-missing': { status: 400, title: 'A request that changes something needs an Idempotency-Key header.' },
  'key-unusable': {
    status: 400,
    title: 'The Idempotency-Key is not 1 to 255 visible ASCII characters without spaces.',
  },
  'in-progress': { status: 409, title: 'The first request with this key is still at work. Ask again in a moment.' },
  'outcome-unknown': {
    status: 409,
    title: 'The first request with this key did not say how it ended. It is not run again before that is known.',
  },
  'key-reused': { status: 422, title: 'This key stands for a request with other data.' },
  'not-done': { status: 503, title: 'Nothing was done. The same request may be sent again.' },
} as const;

export type Problem = keyof typeof PROBLEMS;

const SOON: readonly Problem[] = ['in-progress', 'not-done'];

/** A refusal as `application/problem+json`. Its `type` is for programs, the rest for people. */
export function problem(name: Problem, detail?: string): Response {
  const { status, title } = PROBLEMS[name];
  const body = { type: `urn:holdfast:problem:${name}`, title, status, ...(detail !== undefined && { detail }) };
  const headers = {
    'content-type': 'application/problem+json',
    ...(SOON.includes(name) && { 'retry-after': '1' }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}
