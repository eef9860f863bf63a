/** A reply goes on and on: it is given up, and not asked for again. */
export class ReplyTooLong extends Error {
  override readonly name = 'ReplyTooLong';

  constructor(chars: number) {
    super(`The model's reply is longer than ${chars / 1_000_000} million characters, and was given up.`);
  }
}
