export interface Pace {
  /** How many are worked on at the same time. */
  readonly most: number;
  /** Nothing is begun after so long. */
  readonly withinMs: number;
}

/** Works on all items, some at a time. Undefined for those that were not begun in time. */
export async function mapAtOnce<Item, Answer>(
  items: readonly Item[],
  { most, withinMs }: Pace,
  work: (item: Item) => Promise<Answer>,
): Promise<readonly (Answer | undefined)[]> {
  const answers = new Array<Answer | undefined>(items.length).fill(undefined);
  const until = Date.now() + withinMs;
  const waiting = items.entries();
  const workOff = async () => {
    for (const [at, item] of waiting) {
      if (Date.now() >= until) return;
      answers[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, workOff));
  return answers;
}
