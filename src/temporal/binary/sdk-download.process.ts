// Runs as its own process: `node sdk-download.process.ts FOLDER`. The SDK downloads only together with a start of the
// server and through the process-wide Runtime, which the calling process must keep for its workers.
import { createRequire } from 'node:module';
import { Runtime } from '@temporalio/worker';

const [, , downloadDir = null] = process.argv;
const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
const runtime = Runtime.instance();
try {
  const server = await runtime.createEphemeralServer({
    type: 'dev-server',
    exe: {
      type: 'cached-download',
      downloadDir,
      version: 'default',
      ttl: 24 * 60 * 60 * 1000,
      sdkName: 'sdk-typescript',
      sdkVersion: version,
    },
    ip: '127.0.0.1',
    port: null,
    uiPort: null,
    ui: false,
    namespace: 'default',
    dbFilename: null,
    log: { format: 'pretty', level: 'error' },
    extraArgs: [],
  });
  await runtime.shutdownEphemeralServer(server);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
