/** A model's own name, without the providers before it: `openrouter/anthropic/claude-haiku-4.5` is `claude-haiku-4.5`. */
export const shortModel = (name: string): string => name.split('/').at(-1) || name;
