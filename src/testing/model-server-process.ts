// The model server as its own process: node model-server-process.ts '{"rule":"rules.ts#polite"}' (ModelProcessOptions as JSON).
import { loadRule } from './load-rule.ts';
import { startModelServer } from './model-server.ts';
import { serveUntilTold } from './serve-until-told.ts';
import type { ModelProcessOptions } from './server-process.ts';

await serveUntilTold(async (options) => {
  // Written by startModelServerProcess, whose argument has this type.
  const { rule, with: value, ...rest } = options as ModelProcessOptions;
  return startModelServer({ ...rest, decide: await loadRule({ rule, with: value }) });
});
