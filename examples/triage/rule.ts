import type { Json } from '../../src/contracts/json.ts';
import type { Answer, AskedCall, Conversation, Rule } from '../../src/testing/index.ts';

interface Report {
  readonly file: string;
  readonly crash: string;
  readonly language: string;
  readonly error: string;
  readonly message: string;
}

interface Filed {
  readonly number: number;
  readonly crash: string;
}

/** Calls asked for at once: as many as a real model would. */
const BATCH = 20;

/** The stand-in for a model: decides by rules, from nothing but what the tools have returned. */
export const triageRule: Rule = (conversation) => {
  const listed = resultsOf(conversation, 'list_reports').at(0);
  if (listed === undefined) return { calls: [{ tool: 'list_reports', input: {} }] };
  const files = ((listed as { reports?: readonly string[] }).reports ?? []).filter(
    (file) => !isAsked(conversation, 'read_report', 'file', file),
  );
  const crashes = groupReports(conversation);
  const issues = issuesOf(conversation);
  const unsearched = [...crashes.keys()].filter((crash) => !isAsked(conversation, 'search_issues', 'query', crash));
  const unfiled = [...crashes.entries()].filter(
    ([crash]) => !issues.has(crash) && !isAsked(conversation, 'create_issue', 'crash', crash),
  );
  return (
    ask(files.map((file) => ({ tool: 'read_report', input: { file } }))) ??
    ask(unsearched.map((query) => ({ tool: 'search_issues', input: { query } }))) ??
    ask(unfiled.map(([crash, reports]) => ({ tool: 'create_issue', input: describeIssue(crash, reports) }))) ??
    ask(missingLabels(conversation, crashes, issues)) ?? { text: report(crashes, issues, conversation) }
  );
};

function ask(calls: readonly AskedCall[]): Answer | undefined {
  return calls.length > 0 ? { calls: calls.slice(0, BATCH) } : undefined;
}

/** What a tool returned, where it returned something. */
function resultsOf({ results }: Conversation, tool: string): readonly Json[] {
  return results
    .filter((result) => result.tool === tool)
    .map(({ reply }) => (isObject(reply) && reply['status'] === 'ok' ? reply['data'] : undefined))
    .filter((data) => data !== undefined);
}

/** Asked once, whatever the answer was: a call that failed is reported, not hammered. */
function isAsked({ results }: Conversation, tool: string, field: string, value: string): boolean {
  return results.some((result) => result.tool === tool && isObject(result.input) && result.input[field] === value);
}

function groupReports(conversation: Conversation): Map<string, readonly Report[]> {
  return Map.groupBy(resultsOf(conversation, 'read_report') as unknown as readonly Report[], ({ crash }) => crash);
}

/** Issues that were found or filed, by crash. */
function issuesOf(conversation: Conversation): Map<string, Filed> {
  const found = resultsOf(conversation, 'search_issues').flatMap(
    (data) => (data as unknown as { issues: readonly Filed[] }).issues,
  );
  const filed = resultsOf(conversation, 'create_issue') as unknown as readonly Filed[];
  return new Map([...found, ...filed].map((issue) => [issue.crash, issue]));
}

function describeIssue(crash: string, reports: readonly Report[]): { crash: string; title: string; body: string } {
  const [first] = reports;
  const title = `${first?.error ?? 'crash'}: ${first?.message ?? ''}`.slice(0, 120);
  return { crash, title, body: `Seen in ${reports.map(({ file }) => file).join(', ')}.` };
}

function missingLabels(
  conversation: Conversation,
  crashes: ReadonlyMap<string, readonly Report[]>,
  issues: ReadonlyMap<string, Filed>,
): readonly AskedCall[] {
  const wanted = [...crashes.entries()].flatMap(([crash, [first]]) => {
    const number = issues.get(crash)?.number;
    return number === undefined ? [] : ['crash', first?.language ?? 'unknown'].map((label) => ({ number, label }));
  });
  const isLabelled = ({ number, label }: { number: number; label: string }) =>
    conversation.results.some(
      ({ tool, input }) =>
        tool === 'label_issue' && isObject(input) && input['number'] === number && input['label'] === label,
    );
  return wanted.filter((one) => !isLabelled(one)).map((input) => ({ tool: 'label_issue', input }));
}

function report(
  crashes: ReadonlyMap<string, readonly Report[]>,
  issues: ReadonlyMap<string, Filed>,
  { results }: Conversation,
): string {
  const reports = [...crashes.values()].reduce((sum, group) => sum + group.length, 0);
  const unread = results.filter(
    ({ tool, reply }) => tool === 'read_report' && isObject(reply) && reply['status'] !== 'ok',
  ).length;
  const open = [...crashes.keys()].filter((crash) => !issues.has(crash));
  return [
    `${reports} reports are ${crashes.size} crashes; ${issues.size} have an issue.`,
    ...(unread > 0 ? [`${unread} reports could not be read.`] : []),
    ...(open.length > 0 ? [`Without an issue: ${open.join(', ')}.`] : []),
  ].join(' ');
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
