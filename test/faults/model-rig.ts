import type { RunHandle } from '../../src/client/run-handle.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { openRig, type Rig, type RigOptions, type TestAgent } from '../support/rig.ts';
import { openModelPeer, type Arrival, type ModelPeer, type Story } from './model-peer.ts';

export interface ModelRig extends Rig {
  readonly peer: ModelPeer;
  /** Starts a run that gets this story. Its name is its input, unlike that of any other. */
  play(story: Story): Promise<Played>;
}

export interface Played {
  readonly run: RunHandle;
  arrivals(): readonly Arrival[];
}

let plays = 0;

/** A worker whose model is asked over the wire, by the real provider package. */
export async function openModelRig(
  agent: Partial<TestAgent> = {},
  config: RigOptions['config'] = {},
): Promise<ModelRig> {
  const peer = await openModelPeer();
  const providers = { compatible: { baseURL: peer.url, apiKey: 'k' } };
  const rig = await openRig(
    { model: 'compatible/m', tools: [], ...agent },
    { grace: '1s', config: { providers, ...config } },
  );
  return {
    ...rig,
    peer,
    async play(story) {
      const input = `story ${++plays}`;
      peer.tell(input, story);
      const run = await rig.client.start({ agent: 'tester', input });
      return { run, arrivals: () => peer.arrivals(input) };
    },
    async close() {
      await rig.close();
      await peer.close();
    },
  };
}

/** Events of one type, in order. */
export async function eventsOf<Type extends RunEvent['type']>(run: RunHandle, type: Type) {
  const events = (await run.events()) as readonly RunEvent[];
  return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
}
