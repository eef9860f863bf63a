// node examples/replay/record.ts: plays the run that npm run replay replays, and keeps its recording. Only when it is to change.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createRecorder, recordModel, startModelServer, type Recording } from '../../src/testing/index.ts';
import { openStage } from './stage.ts';
import { supportAgent, supportRule, TASK } from './support.ts';

export const RECORDED_RUN = fileURLToPath(new URL('./recorded-run.json', import.meta.url));

/** Plays it with a model that answers by a rule, asked over the wire through a real provider package. */
export async function recordRun(onProgress: (line: string) => void): Promise<Recording> {
  const server = await startModelServer({ decide: supportRule, delayMs: 120 });
  const model = createOpenAICompatible({ name: 'compatible', baseURL: server.url, includeUsage: true });
  const agent = supportAgent(model.chatModel('stand-in'));
  const recorder = createRecorder({ agent });
  const recorded = supportAgent(recordModel(model.chatModel('stand-in'), recorder.sink));
  const stage = await openStage({ agent: recorded, onProgress });
  try {
    const run = await stage.client.start({ agent: agent.name, input: TASK });
    const { status } = await run.result();
    if (status !== 'completed') throw new Error(`The run ended as ${status}: it is not kept.`);
    return recorder.recording();
  } finally {
    await stage.close();
    await server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const recording = await recordRun((line) => {
    console.error(line);
  });
  await writeFile(RECORDED_RUN, `${JSON.stringify(recording, null, 1)}\n`);
  console.log(`Kept in ${RECORDED_RUN}`);
  process.exit(0);
}
