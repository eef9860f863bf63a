import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

const RULES = resolve('.dependency-cruiser.cjs');
const CRUISER = resolve('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const { forbidden } = createRequire(import.meta.url)(RULES) as { forbidden: { name: string; comment: string }[] };

/** Every rule, and an import that breaks it: the rule, the room of the offender, its line. */
const OFFENCES: readonly (readonly [rule: string, room: string, line: string])[] = [
  ['contracts-enters', 'contracts', `import '../policy/some.ts';`],
  ['contracts-packages', 'contracts', `import 'undici';`],
  ['contracts-vocabulary', 'contracts', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['contracts-without-node', 'contracts', `import 'node:crypto';`],
  ['policy-enters', 'policy', `import '../activities/some.ts';`],
  ['policy-packages', 'policy', `import '@temporalio/common';`],
  ['policy-vocabulary', 'policy', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['policy-without-node', 'policy', `import 'node:timers';`],
  ['workflows-enters', 'workflows', `import '../stores/some.ts';`],
  ['workflows-enters', 'workflows', `import type { Some } from '../activities/some.ts'; export type A = Some;`],
  ['workflows-types-of-activities-index', 'workflows', `import { some } from '../activities/index.ts'; some;`],
  ['workflows-packages', 'workflows', `import '@temporalio/activity';`],
  ['workflows-vocabulary', 'workflows', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['workflows-without-node', 'workflows', `import 'node:fs';`],
  ['activities-enters', 'activities', `import '../temporal/some.ts';`],
  ['activities-packages', 'activities', `import '@temporalio/client';`],
  ['activities-vocabulary', 'activities', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['middleware-enters', 'middleware', `import '../temporal/some.ts';`],
  ['middleware-packages', 'middleware', `import '@temporalio/common';`],
  ['middleware-vocabulary', 'middleware', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['middleware-without-node', 'middleware', `import 'node:http';`],
  ['providers-enters', 'providers', `import '../stores/some.ts';`],
  ['providers-packages', 'providers', `import '@temporalio/common';`],
  ['providers-vocabulary', 'providers', `import '@standard-schema/spec';`],
  ['providers-loads-late', 'providers', `import '@ai-sdk/openai-compatible';`],
  ['stores-enters', 'stores', `import '../policy/some.ts';`],
  ['stores-packages', 'stores', `import 'undici';`],
  ['stores-vocabulary', 'stores', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['stores-loads-late', 'stores', `import 'pg';`],
  ['testing-enters', 'testing', `import '../workers/some.ts';`],
  ['testing-packages', 'testing', `import '@temporalio/testing';`],
  ['testing-vocabulary', 'testing', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['receiver-enters', 'receiver', `import '../stores/some.ts';`],
  ['receiver-packages', 'receiver', `import '@temporalio/common';`],
  ['receiver-vocabulary', 'receiver', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['temporal-enters', 'temporal', `import '../client/some.ts';`],
  ['temporal-packages', 'temporal', `import 'commander';`],
  ['temporal-vocabulary', 'temporal', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['client-enters', 'client', `import '../workers/some.ts';`],
  ['client-enters', 'client', `import '../workflows/some.ts';`],
  ['client-types-of-workflows-index', 'client', `import { some } from '../workflows/index.ts'; some;`],
  ['client-packages', 'client', `import '@temporalio/worker';`],
  ['client-vocabulary', 'client', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['chat-enters', 'chat', `import '../stores/some.ts';`],
  ['chat-packages', 'chat', `import '@temporalio/client';`],
  ['chat-vocabulary', 'chat', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['chat-without-node', 'chat', `import 'node:http';`],
  ['workers-enters', 'workers', `import '../client/some.ts';`],
  ['workers-packages', 'workers', `import 'commander';`],
  ['workers-vocabulary', 'workers', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['cli-enters', 'cli', `import '../workflows/some.ts';`],
  ['cli-packages', 'cli', `import '@temporalio/client';`],
  ['cli-vocabulary', 'cli', `import { APICallError } from '@ai-sdk/provider'; APICallError;`],
  ['known-rooms', 'attic', `import '../contracts/some.ts';`],
  ['doors-only-open', '.', `import 'node:path';`],
  ['no-test-code', 'cli', `import '../../test/some.ts';`],
  ['no-cycle', 'policy', `import './some-cycle.ts';`],
  ['no-orphan', 'policy', `export const lonely = 1;`],
  ['no-unresolved', 'policy', `import './not-there.ts';`],
];

/** What the rules must leave alone. */
const ALLOWED: readonly (readonly [room: string, line: string])[] = [
  ['contracts', `import type { LanguageModelV4 } from '@ai-sdk/provider'; export type A = LanguageModelV4;`],
  ['policy', `import type { StandardSchemaV1 } from '@standard-schema/spec'; export type A = StandardSchemaV1;`],
  [
    'workflows',
    `import type { Some } from '../activities/index.ts'; import '@temporalio/workflow'; export type A = Some;`,
  ],
  ['activities', `import '../policy/some.ts'; import '@temporalio/activity'; import 'node:crypto';`],
  ['providers', `export const load = () => import('@ai-sdk/openai-compatible');`],
  [
    'client',
    `import '../workflows/messages.ts'; import type { Some } from '../workflows/index.ts'; export type A = Some;`,
  ],
  ['chat', `import '../client/some.ts'; import type { UIMessage } from 'ai'; export type A = UIMessage;`],
  ['workers', `import '../activities/some.ts'; import '../workflows/some.ts'; import '@temporalio/worker';`],
  ['cli', `import '../workers/some.ts'; import '../testing/some.ts'; import 'commander';`],
];

const offender = (room: string, index: number) => join('src', room, `offender-${index}.ts`);
const example = (room: string, index: number) => join('src', room, `example-${index}.ts`);

let house: string;
let violations: Violation[];

/** A small house with all offences in it, cruised once. */
beforeAll(async () => {
  house = await mkdtemp(join(tmpdir(), 'holdfast-house-'));
  await symlink(resolve('node_modules'), join(house, 'node_modules'));
  for (const file of ['tsconfig.json', 'package.json']) await cp(file, join(house, file));
  const rooms = new Set([...OFFENCES.map(([, room]) => room), ...ALLOWED.map(([room]) => room)]);
  const some = 'export const some = 1;\nexport type Some = number;\n';
  const files = new Map<string, string>([...rooms].map((room) => [`src/${room}/some.ts`, some]));
  for (const path of ['src/activities/index.ts', 'src/workflows/index.ts', 'src/workflows/messages.ts', 'test/some.ts'])
    files.set(path, some);
  OFFENCES.forEach(([, room, line], index) => files.set(offender(room, index), `${line}\n`));
  files.set(
    'src/policy/some-cycle.ts',
    `import './offender-${OFFENCES.findIndex(([rule]) => rule === 'no-cycle')}.ts';\n`,
  );
  ALLOWED.forEach(([room, line], index) => files.set(example(room, index), `${line}\n`));
  for (const [path, text] of files) {
    await mkdir(dirname(join(house, path)), { recursive: true });
    await writeFile(join(house, path), text);
  }
  violations = await cruise();
});

afterAll(() => rm(house, { recursive: true, force: true }));

async function cruise(): Promise<Violation[]> {
  const args = [CRUISER, 'src', 'test', '--config', RULES, '--output-type', 'json'];
  // Violations make it exit with their number.
  const run = promisify(execFile)(process.execPath, args, { cwd: house, maxBuffer: 2 ** 26 });
  const { stdout, stderr } = await run.catch((failed: unknown) => failed as { stdout: string; stderr: string });
  if (stdout === '') throw new Error(`dependency-cruiser said: ${stderr}`);
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}

const rulesAgainst = (path: string) => violations.filter(({ from }) => from === path).map(({ rule }) => rule.name);

describe('an import that breaks a house rule is reported under its name', () => {
  test.each(OFFENCES.map((offence, index) => [...offence, index] as const))('%s: %s, %s', (rule, room, _, index) => {
    expect(rulesAgainst(offender(room, index))).toContain(rule);
  });

  test('every rule has an offence here', () => {
    const shown = new Set(OFFENCES.map(([rule]) => rule));
    expect(forbidden.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });
});

test.each(ALLOWED.map((allowed, index) => [...allowed, index] as const))('%s may: %s', (room, _, index) => {
  expect(rulesAgainst(example(room, index)).filter((rule) => rule !== 'no-orphan')).toEqual([]);
});

test('every rule tells the offender what to do', () => {
  expect(forbidden.filter(({ comment }) => comment.split(/[.:] /).length < 2)).toEqual([]);
});
