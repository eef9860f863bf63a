/**
 * A person's name as it is counted: by letters, not by how they were typed. It keeps a slip of the hand from being a second
 * person; whoever wants to be two needs only two names, unless deciders are configured.
 */
export function personOf(by: string): string {
  return by
    .normalize('NFKC')
    .replace(/\p{Cf}+/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

export const isSamePerson = (a: { readonly by: string }, b: { readonly by: string }): boolean =>
  personOf(a.by) === personOf(b.by);
