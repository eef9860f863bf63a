/** One thing that goes wrong, for one request. Without a status or body of its own the real reply is sent, late or cut. */
export interface ModelFault {
  /** Which request, counted from 1 over all that arrive. */
  readonly request: number;
  /** Waits so long first, instead of the server's own `delayMs`. */
  readonly delayMs?: number;
  readonly status?: number;
  /** Sent as it is. Default with a status: an OpenAI error body. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Drops the connection after so many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** Never answers, or, with `cutAfterBytes`, never goes on. The connection stays open until the caller or the server ends it. */
  readonly hang?: boolean;
}
