import type { Effect } from '../../contracts/effect.ts';
import { assertNever } from '../../policy/assert-never.ts';
import { TOOL_BACKOFF, WAIT_CAP_MS } from '../../policy/backoff.ts';
import type { ToolRow } from '../../policy/describe-tool.ts';
import type { Verdict } from '../../policy/judge.ts';
import { wrap } from './fit.ts';
import type { Screen } from './screen.ts';
import { table } from './table.ts';
import { span } from './times.ts';

export interface AgentTools {
  readonly agent: string;
  readonly version: string;
  readonly model: string;
  readonly tools: readonly ToolRow[];
}

/** Per agent: what a failed attempt of each tool leads to, its attempts and times, and what the marks mean. */
export function toolsScreen(agents: readonly AgentTools[], screen: Screen): string {
  const all = agents.flatMap(({ tools }) => tools);
  const parts = agents.map((agent) => agentTables(agent, screen));
  return [...parts, ...(all.length === 0 ? [] : [footnotes(all, screen.width).join('\n')])].join('\n\n');
}

function agentTables({ agent, version, model, tools }: AgentTools, { paint }: Screen): string {
  const head = `${paint.bold(agent)} · version ${version} · ${model}`;
  if (tools.length === 0) return `${head}\n  It has no tools.`;
  const dim = (...names: readonly string[]) => names.map((name) => paint.dim(name));
  const outcomes = tools.map((row) => [
    row.tool,
    FLAGS[row.effect],
    outcomeOf(row.onTimeout, row),
    `${row.onRateLimit.is === 'retry' ? 'waits, again' : outcomeOf(row.onRateLimit, row)}${isBlind(row) ? ' **' : ''}`,
    outcomeOf(row.onLostWorker, row),
  ]);
  const times = tools.map((row) => [
    row.tool,
    `${row.attemptsInDoubt}${isLimited(row) ? ' *' : ''}`,
    span(row.timeoutMs),
    span(row.totalMs),
    row.landsWithinMs === null ? '-' : span(row.landsWithinMs),
  ]);
  return [
    head,
    table([dim('tool', 'flags', 'a time-out', 'a 429', 'a lost worker'), ...outcomes]),
    '',
    table([dim('tool', 'attempts', 'one takes up to', 'all up to', 'may land for'), ...times]),
  ].join('\n');
}

const FLAGS: Readonly<Record<Effect, string>> = {
  'read-only': 'read-only',
  idempotent: 'idempotent',
  'by-key': 'by key',
  unflagged: 'none',
};

/** In a word or two: what follows from a failed attempt. */
function outcomeOf(verdict: Verdict, { effect, looksUp }: ToolRow): string {
  switch (verdict.is) {
    case 'retry':
      return effect === 'read-only' || effect === 'unflagged' ? 'tried again' : 'again, same key';
    case 'unknown':
      return looksUp ? 'look-up, person' : 'outcome unknown';
    case 'tell-model':
      return `model: ${verdict.status}`;
    case 'cancelled':
      return 'cancelled';
    default:
      return assertNever(verdict);
  }
}

/** More attempts than one only where the last provably did nothing. */
const isLimited = ({ attemptsInDoubt, maxAttempts }: ToolRow): boolean => attemptsInDoubt < maxAttempts;

/** A refusal that ctx.fetch did not see is no proof. */
const isBlind = ({ onRateLimit, onRateLimitUnseen }: ToolRow): boolean => onRateLimit.is !== onRateLimitUnseen.is;

function footnotes(tools: readonly ToolRow[], width: number): readonly string[] {
  const most = Math.max(...tools.map(({ maxAttempts }) => maxAttempts));
  const unnamed = tools.filter(({ effect, namesIntent }) => effect !== 'read-only' && !namesIntent);
  const unknown = tools.filter(({ onTimeout }) => onTimeout.is === 'unknown');
  const notes = [
    ...(tools.some(isLimited)
      ? [`*  up to ${most} where an attempt provably did nothing: not sent, refused, or NotExecuted`]
      : []),
    ...(tools.some(isBlind) ? ['** seen through ctx.fetch; found in any other error: outcome unknown'] : []),
    `Waits between attempts are random, up to ${span(TOOL_BACKOFF.baseMs)}, doubling up to ${span(TOOL_BACKOFF.maxMs)}; or as long as the receiver asks, in the worker up to ${span(WAIT_CAP_MS)}, else on a durable timer.`,
    ...(unknown.some(({ looksUp }) => !looksUp)
      ? ['Outcome unknown: nothing is sent again. Late news, the ledger or a person settles it.']
      : []),
    ...(unknown.some(({ looksUp }) => looksUp)
      ? ["Look-up, person: nothing is sent again. The tool's own look-up settles it, or late news, or a person."]
      : []),
    ...(unnamed.length > 0
      ? [
          `No named intent: ${unnamed.map(({ tool }) => tool).join(', ')}. An equal call later in the run is a new action. Name the action with intent(input) to have it done once.`,
        ]
      : []),
    ...peopleNotes(tools),
  ];
  return notes.flatMap((note) => hang(note, width));
}

/** Where people come in, and for how long a key is relied upon; nothing is said where all is as usual. */
function peopleNotes(tools: readonly ToolRow[]): readonly string[] {
  const namesOf = (isMeant: (tool: ToolRow) => boolean) => tools.filter(isMeant).map(({ tool }) => tool);
  const say = (names: readonly string[], words: string) =>
    names.length === 0 ? [] : [`${words}: ${names.join(', ')}.`];
  const keyed = tools.filter(({ keyValidForMs }) => keyValidForMs !== null);
  return [
    ...say(
      namesOf(({ asks }) => asks === 'always'),
      'Each call waits for an approval',
    ),
    ...say(
      namesOf(({ asks }) => asks === 'sometimes'),
      'Some calls wait for an approval, by their arguments',
    ),
    ...say(
      namesOf(({ onRepeat }) => onRepeat === 'block'),
      'Never again after it had failed, or while one is in doubt',
    ),
    ...say(
      namesOf(({ onRepeat }) => onRepeat === 'decides'),
      'Says itself what follows when it had failed, or one is in doubt',
    ),
    ...say(
      namesOf(({ callsOff }) => callsOff),
      'Asked once to call the action off when sight of it is lost',
    ),
    ...keyed.map(
      ({ tool, keyValidForMs }) =>
        `${tool}: its key is relied upon for ${span(keyValidForMs ?? 0)}; later an unknown outcome is asked about.`,
    ),
  ];
}

/** Later lines of a note stand under its text. */
function hang(note: string, width: number): readonly string[] {
  return wrap(note, width - 5).map((line, at) => (at === 0 ? `  ${line}` : `     ${line}`));
}
