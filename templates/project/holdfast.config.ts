import { defineConfig } from 'holdfast';
import { support } from './src/agent.ts';

// What `npx holdfast dev` and `npx holdfast worker` run.
export default defineConfig({ agents: [support] });
