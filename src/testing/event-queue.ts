/** What happens next, earliest first; at one moment, in the order in which it was put in. A binary heap. */
export interface EventQueue<Event> {
  push(at: number, event: Event): void;
  pop(): { readonly at: number; readonly event: Event } | undefined;
}

interface Entry<Event> {
  readonly at: number;
  readonly order: number;
  readonly event: Event;
}

export function createEventQueue<Event>(): EventQueue<Event> {
  const heap: Entry<Event>[] = [];
  let pushed = 0;
  return {
    push(at, event) {
      rise(heap, { at, order: pushed++, event });
    },
    pop() {
      const [first] = heap;
      const last = heap.pop();
      if (first && last && first !== last) sink(heap, last);
      return first;
    },
  };
}

const isBefore = <Event>(a: Entry<Event>, b: Entry<Event>) => a.at < b.at || (a.at === b.at && a.order < b.order);

function rise<Event>(heap: Entry<Event>[], entry: Entry<Event>): void {
  let place = heap.length;
  for (;;) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (place === 0 || !parent || !isBefore(entry, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = entry;
}

/** Puts an entry in the place of the first, which is gone. */
function sink<Event>(heap: Entry<Event>[], entry: Entry<Event>): void {
  let place = 0;
  for (;;) {
    const left = heap[2 * place + 1];
    const right = heap[2 * place + 2];
    if (!left) break;
    const [child, below] = right && isBefore(right, left) ? [right, 2 * place + 2] : [left, 2 * place + 1];
    if (!isBefore(child, entry)) break;
    heap[place] = child;
    place = below;
  }
  heap[place] = entry;
}
