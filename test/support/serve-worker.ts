import type { Config } from '../../src/contracts/agent.ts';
import type { Settings } from '../../src/temporal/settings.ts';
import type { LocalServer } from '../../src/testing/local-server.ts';
import { createAgentWorker, type AgentWorkerOptions } from '../../src/workers/create-agent-worker.ts';
import { quietLogger } from './quiet-logger.ts';

/** A worker as `serveUntilTold` takes it, for processes that are killed. Its address is its task queue. */
export async function serveWorker(
  config: Config,
  settings: Settings,
  options: Pick<AgentWorkerOptions, 'costPace'> = {},
): Promise<LocalServer> {
  const worker = await createAgentWorker(config, { ...options, settings, shutdownGrace: '1s', logger: quietLogger });
  const running = worker.run();
  return {
    url: config.taskQueue,
    async close() {
      worker.shutdown();
      await running;
    },
  };
}
