/** Times and attempts of a model call. A model call changes nothing, so it may always be repeated. */
export const MODEL_TIMES = Object.freeze({
  attemptMs: 600_000,
  /** Until the first piece of content. */
  firstContentMs: 180_000,
  /** Between two pieces. */
  idleMs: 120_000,
  /** All attempts and waits of one call, parking left out. */
  totalMs: 900_000,
  /** A worker that is lost should be replaced soon. */
  heartbeatMs: 2_000,
  /** The first included. */
  attempts: 5,
});
