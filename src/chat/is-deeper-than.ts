/** Whether JSON is nested in more levels than that. Goes down level by level: what recurses overflows the stack of the server. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; depth < levels && level.length > 0; depth++)
    level = level.flatMap(Object.values).filter(isNested);
  return level.length > 0;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
