/** A model's stream ended without saying that it was whole: what it held is never acted upon, and it may be asked again. */
export class IncompleteReply extends Error {
  override readonly name = 'IncompleteReply';
}
