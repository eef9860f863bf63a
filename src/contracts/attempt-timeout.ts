/** A deadline of an attempt's own has passed: the attempt may be repeated, unlike one that the run itself ended. */
export class AttemptTimeout extends Error {
  override readonly name = 'AttemptTimeout';
}
