import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { workflowBundle } from '../../src/workers/workflow-bundle.ts';

/** The source map at the end of the real bundle: what the sandbox is really given. */
async function sourcesOfBundle(): Promise<readonly string[]> {
  const { codePath } = await workflowBundle();
  const code = await readFile(codePath, 'utf8');
  const map = /\/\/# sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,(\S+)\s*$/.exec(code)?.[1];
  if (!map) throw new Error('The bundle has no source map: the rule cannot be checked.');
  return (JSON.parse(Buffer.from(map, 'base64').toString()) as { sources: string[] }).sources;
}

test('the workflow bundle holds contracts, policy and workflows of ours, and nothing else of ours', async () => {
  const sources = await sourcesOfBundle();
  const ours = sources.flatMap(
    (source) => /\/src\/([^/]+)\/[^?]*\.ts/.exec(source.replace(/.*node_modules.*/, ''))?.[1] ?? [],
  );
  expect([...new Set(ours)].sort()).toEqual(['contracts', 'policy', 'workflows']);
  expect(ours.length).toBeGreaterThan(30);
});

test('of packages it holds only Temporal’s own', async () => {
  const sources = await sourcesOfBundle();
  const packages = sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  const known = [
    '@temporalio/common',
    '@temporalio/workflow',
    '@temporalio/worker',
    '@temporalio/proto',
    'ms',
    'long',
    'nexus-rpc',
  ];
  expect([...new Set(packages)].filter((name) => !known.includes(name))).toEqual([]);
});
