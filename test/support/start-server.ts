import { startDevServer, type DevServer } from '../../src/temporal/dev-server.ts';

declare global {
  var holdfastTestServer: DevServer | undefined;
}

/** Jest's global set-up: one real Temporal server for all test files, in memory, on free ports. */
export default async function startServer(): Promise<void> {
  globalThis.holdfastTestServer = await startDevServer();
  process.env['HOLDFAST_TEST_ADDRESS'] = globalThis.holdfastTestServer.address;
  process.env['HOLDFAST_TEST_UI'] = globalThis.holdfastTestServer.uiUrl;
}
