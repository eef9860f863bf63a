/** Blank, or not seen at all: white space, controls, joiners, variation selectors, fillers, the empty Braille cell. */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+/gu;

/**
 * A person's name as it is counted: by its letters, not by how they were typed. It keeps a slip of the hand from being a
 * second person; whoever wants to be two needs only two names, unless deciders are configured.
 */
export function personOf(by: string): string {
  const seen = by.normalize('NFKD').replace(UNSEEN, '');
  // One change of case is not enough for "ς" and "ẞ"; and it may leave marks that still have to be composed.
  return seen.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}

export const isSamePerson = (a: { readonly by: string }, b: { readonly by: string }): boolean =>
  personOf(a.by) === personOf(b.by);
