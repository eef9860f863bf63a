/** How long a call waits for locks of others. Below the 5 s that an activity has left to record after its own time-out. */
export const LOCK_WAIT_MS = 4_000;
