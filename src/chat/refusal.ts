/** Why a request is not met, for whoever sent it. `status` is HTTP's. */
export interface Refusal {
  readonly is: 'refused';
  readonly status: 400 | 403 | 405 | 413 | 415;
  readonly why: string;
}

export const refuse = (status: Refusal['status'], why: string): Refusal => ({ is: 'refused', status, why });

/** The text is the whole body, and what `useChat` has as the message of its error. */
export function errorResponse(status: number, error: string): Response {
  return Response.json({ error }, { status, headers: status === 405 ? { allow: 'GET, POST' } : {} });
}
