/** One error of a chain, as data. */
export type Link = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 8;

/** An error and what is behind it, outermost first, at most eight deep. A retry's last error and a bundle's members count. */
export function linksOf(error: unknown): readonly Link[] {
  const links: Link[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && links.length < MAX_DEPTH) {
    const next = queue.shift();
    if (!isRecord(next) || links.includes(next)) continue;
    links.push(next);
    queue.push(
      next['cause'],
      next['lastError'],
      ...(Array.isArray(next['errors']) ? (next['errors'] as unknown[]) : []),
    );
  }
  return links;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The name of an AI SDK error without its prefix. By name and never by class: a provider may bundle its own copy of the
 * classes.
 */
export function sdkNameOf({ name }: Link): string {
  return typeof name === 'string' ? name.replace(/^AI_/, '') : '';
}

/** The first number under one of these keys along the chain. */
export function firstNumber(links: readonly Link[], keys: readonly string[]): number | undefined {
  for (const link of links) for (const key of keys) if (typeof link[key] === 'number') return link[key];
  return undefined;
}

/** JSON text as a value, and what is a value already; undefined for other text. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A page for a browser where an answer should be: of a gateway, or of a wrong address. */
export const isPage = (body: string): boolean => /^\s*</.test(body);
