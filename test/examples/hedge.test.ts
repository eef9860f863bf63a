import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';

let rig: Rig;
afterEach(() => rig.close());

test('the example of a hedge answers with the faster model, and shows who lost', async () => {
  // Its own file imports the package by name, which is there after a build.
  const { default: config } = await import('../../examples/hedge/holdfast.config.ts');
  const [helper] = config.agents;
  if (!helper) throw new Error('The example has no agent.');
  const { agents: _, taskQueue: __, ...rest } = config;
  rig = await openRig({ ...helper, name: 'tester' }, { config: rest });
  const run = await rig.client.start({ agent: 'tester', input: 'Hello.' });
  expect(await run.result()).toMatchObject({ status: 'completed', text: 'The fast one answers.' });
  const ended = await eventually('both ends', async () => {
    const ends = (await run.events()).flatMap((event) => (event.type === 'request-ended' ? [event] : []));
    return ends.length === 2 && ends;
  });
  expect(ended.find(({ outcome }) => outcome === 'lost-hedge')?.model).toBe('slow');
});
