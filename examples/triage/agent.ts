import { open, readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { defineAgent, defineTool, type Agent, type Tool, type ToolContext } from '../../src/index.ts';
import { readCrash } from './crash.ts';

/**
 * The tracker is on this machine and is started again within seconds: the calls' own retries are the better answer than a breaker, and
 * they last for a slow start too (15 to 31 s). A call that asks the tracker has all of these.
 */
const OUTLASTS_A_RESTART = {
  without: ['breaker'],
  timeout: '10s',
  maxAttempts: 6,
  backoff: { base: '1s', jitter: 'equal' },
} as const;

export interface TriageOptions {
  /** The folder with the reports, one file each. */
  readonly folder: string;
  readonly trackerUrl: string;
  readonly model: string;
}

/** An agent that reads crash reports, finds out which are the same crash, and files one issue for each. */
export function triageAgent({ folder, trackerUrl, model }: TriageOptions): Agent {
  return defineAgent({
    name: 'triage',
    instructions: [
      'You triage crash reports. List the reports, read every one, and group them by the crash id that read_report returns:',
      'reports with one id are the same crash. For each crash search the tracker for its id; where there is no issue, create',
      'one that names the reports. Label each issue "crash" and with its language. Then say what you did, in one paragraph.',
    ].join(' '),
    model,
    tools: [...readingTools(folder, trackerUrl), labelIssue(trackerUrl), createIssue(trackerUrl)],
    // All calls of a turn may meet one restart, and share what the run may spend on repeating.
    limits: { retries: 100, retryTime: '5m' },
  });
}

const MAX_BYTES = 200_000;

function readingTools(folder: string, trackerUrl: string): readonly Tool[] {
  const listReports = defineTool({
    name: 'list_reports',
    description: 'Lists the crash reports: file names.',
    input: z.object({}),
    readOnly: true,
    timeout: '10s',
    execute: async () => {
      const names = await readdir(folder);
      const kinds = await Promise.all(names.map(async (name) => ({ name, isFile: await isFile(join(folder, name)) })));
      const shown = kinds.filter(({ name }) => !name.startsWith('.'));
      return {
        reports: shown
          .filter(({ isFile }) => isFile)
          .map(({ name }) => name)
          .sort(),
        leftOut: shown.filter(({ isFile }) => !isFile).map(({ name }) => name),
      };
    },
  });
  const readReport = defineTool({
    name: 'read_report',
    description:
      'Reads one crash report. Returns its crash id, error, innermost own functions and the beginning of its text.',
    input: z.object({ file: z.string() }),
    readOnly: true,
    timeout: '10s',
    execute: async ({ file }) => {
      const text = await readStart(reportPath(folder, file));
      const { id, language, error, message, frames } = readCrash(text);
      return { file, crash: id, language, error, message, frames: frames.slice(0, 5), text: text.slice(0, 2_000) };
    },
  });
  const searchIssues = defineTool({
    ...OUTLASTS_A_RESTART,
    name: 'search_issues',
    description: 'Searches the tracker for a crash id or words of a title.',
    input: z.object({ query: z.string() }),
    readOnly: true,
    execute: ({ query }, ctx) => findIssues(trackerUrl, query, ctx),
  });
  return [listReports, readReport, searchIssues];
}

/** A file, or a link to one; what cannot be looked at is neither. */
async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

/** The beginning of a report, however long it is. */
async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_BYTES) });
    return buffer.subarray(0, bytesRead).toString();
  } finally {
    await file.close();
  }
}

/** Only files of the folder itself: a name from a model is no path. */
function reportPath(folder: string, file: string): string {
  const path = resolve(folder, file);
  if (file !== basename(file) || path !== join(resolve(folder), file)) {
    throw new Error(`"${file}" is not a report: give a name that list_reports returned.`);
  }
  return path;
}

function labelIssue(trackerUrl: string): Tool {
  return defineTool({
    ...OUTLASTS_A_RESTART,
    name: 'label_issue',
    description: 'Adds a label to an issue. Adding it twice changes nothing.',
    input: z.object({ number: z.number().int(), label: z.string().min(1).max(40) }),
    idempotent: true,
    execute: async ({ number, label }, ctx) => {
      const url = `${trackerUrl}/issues/${number}/labels/${encodeURIComponent(label)}`;
      return readAnswer(await ctx.fetch(url, { method: 'PUT' }));
    },
  });
}

function createIssue(trackerUrl: string): Tool {
  return defineTool({
    ...OUTLASTS_A_RESTART,
    name: 'create_issue',
    description: 'Files an issue for one crash. Name the crash id and the reports it was seen in.',
    input: z.object({ crash: z.string().min(1), title: z.string().min(1), body: z.string().default('') }),
    // The crash, not the wording: another title for the same crash is the same issue, planned again.
    intent: ({ crash }) => ({ key: `issue:${crash}`, scope: 'agent' }),
    // The tracker writes before it answers, on this machine: what is not there then will not come.
    landsWithin: '5s',
    afterConfirm: 'retry',
    confirm: async ({ crash }, ctx) => {
      const { issues } = await findIssues(trackerUrl, crash, ctx);
      const issue = issues.find((one) => one.crash === crash);
      return issue ? { is: 'happened', result: issue } : { is: 'did-not-happen' };
    },
    execute: async (issue, ctx) => {
      const headers = { 'content-type': 'application/json' };
      return readAnswer(
        await ctx.fetch(`${trackerUrl}/issues`, { method: 'POST', headers, body: JSON.stringify(issue) }),
      );
    },
  });
}

interface FoundIssues {
  readonly issues: readonly { readonly number: number; readonly crash: string; readonly title: string }[];
}

async function findIssues(trackerUrl: string, query: string, ctx: ToolContext): Promise<FoundIssues> {
  return (await readAnswer(await ctx.fetch(`${trackerUrl}/issues?q=${encodeURIComponent(query)}`))) as FoundIssues;
}

async function readAnswer(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`the tracker answered ${response.status}: ${await response.text()}`);
  return response.json();
}
