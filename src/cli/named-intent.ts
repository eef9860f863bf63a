/**
 * The intent if the tool's author named it. Without one it is `tool:digest:n`, which says nothing to a person.
 */
export function namedIntent(tool: string, intent: string | undefined): string | undefined {
  const isMadeUp = intent?.startsWith(`${tool}:`) && /^[0-9a-f]{16}:\d+$/.test(intent.slice(tool.length + 1));
  return isMadeUp ? undefined : intent;
}
