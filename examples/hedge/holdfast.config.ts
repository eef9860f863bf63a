// One agent, three models: the primary is slow, a backup is asked beside it after 50 ms, and a third one answers where both fail.
//   npx holdfast dev --config examples/hedge/holdfast.config.ts
//   npx holdfast start helper --input 'Hello.' --wait
//   npx holdfast watch RUN          shows which model was asked, and which was faster
import { defineAgent, defineConfig } from 'holdfast';
import { scriptedModel } from 'holdfast/testing';

// Stand-ins for models, so that this runs without a key. Yours: 'anthropic/…', 'openai/…', or any AI SDK model.
const slow = scriptedModel(() => ({ text: 'The slow one answers.' }), { modelId: 'slow', delayMs: 400 });
const fast = scriptedModel(() => ({ text: 'The fast one answers.' }), { modelId: 'fast', delayMs: 30 });
const last = scriptedModel(() => ({ text: 'The last resort answers.' }), { modelId: 'last' });

const helper = defineAgent({
  name: 'helper',
  instructions: 'Be brief.',
  model: { primary: slow, hedge: { afterMs: 50, models: [fast] }, fallback: [last] },
  tools: [],
});

export default defineConfig({
  agents: [helper],
  // Shared by all agents of the worker. These are the defaults.
  breaker: { failures: 5, pause: '20s', spread: '10s' },
  // One request every 100 ms, and up to five at once after a pause, to every model of this provider.
  rateLimits: { 'holdfast-testing': { every: '100ms', burst: 5 } },
});
