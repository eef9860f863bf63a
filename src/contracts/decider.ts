/** Who may decide, and how a decision of theirs is known to be theirs. With any configured, unsigned ones are refused. */
export interface Decider {
  /** As decisions name it: `by`. */
  readonly name: string;
  /** `ed25519:` and the public key (32 bytes, base64url), or `hmac:` and the name of the environment variable with the secret. */
  readonly key: `ed25519:${string}` | `hmac:${string}`;
  /** What they may decide; default: anything. */
  readonly kinds?: readonly ('outcome' | 'approval')[];
  /** Agents whose questions they may answer; default: all. */
  readonly agents?: readonly string[];
  /** Tools whose calls they may decide about; default: all. */
  readonly tools?: readonly string[];
}
