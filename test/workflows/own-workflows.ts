// A user's own workflows: two branches that want the same agent run, and one that wants another.
import { runAgent } from '../../src/workflows/index.ts';

export { agentRun } from '../../src/workflows/index.ts';

export async function wantsTwice(): Promise<readonly string[]> {
  const ask = (input: string) => runAgent({ agent: 'tester', input }).then(({ text }) => text);
  const together = await Promise.all([ask('same'), ask('same'), ask('other')]);
  return [...together, await ask('same')];
}
