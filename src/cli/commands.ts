import type { CommandRow, OptionRow } from './command-row.ts';
import { readCount, readDuration, readJson, readOffset, readPort, readWords } from './parse-options.ts';

const RUN = ['<run>', 'id of the run'] as const;

const QUESTION = ['<question>', 'id of the question; its first letters will do, 3 or more'] as const;
const REASON: OptionRow = ['--reason <text>', 'why (required, kept with the decision)', readWords];
const KEY: OptionRow = ['--key <file>', 'sign with this key (default: the one of that name, where keys lie)'];
const DECIDING: readonly OptionRow[] = [
  ['--evidence <url>', 'where it can be seen'],
  ['--by <name>', 'who decides (default: your user name)', readWords],
  ['--run <id>', 'the run that asks, where several do'],
  ['--digest <hex>', 'refuse unless the arguments are those with this digest'],
  KEY,
];

/** All commands, in the order in which a newcomer meets them. */
export const COMMANDS = [
  {
    name: 'init',
    arguments: [['[dir]', 'a new folder (default: the current one)']],
    options: [],
    help: 'write a project with an agent that runs without a key',
    example: 'init my-agent',
    load: async () => (await import('./commands/init.ts')).init,
  },
  {
    name: 'dev',
    arguments: [],
    options: [
      ['--port <n>', 'port of the server (default: a free one)', readPort],
      ['--ui-port <n>', 'port of the Web UI (default: a free one)', readPort],
    ],
    help: 'start the local server, or join it, and a worker',
    example: 'dev --ui-port 8233',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  {
    name: 'worker',
    arguments: [],
    options: [
      ['--health-port <n>', 'answer /healthz and /readyz on this port', readPort],
      ['--metrics-port <n>', "serve Temporal's metrics for Prometheus on this port", readPort],
      ['--host <host>', 'where both listen (default: 127.0.0.1)'],
      ['--grace <time>', 'how long calls may take to end (default: 25s)', readDuration],
    ],
    help: 'run a worker for a server that is there',
    example: 'worker --health-port 8080 --grace 60s',
    load: async () => (await import('./commands/worker.ts')).worker,
  },
  {
    name: 'tools',
    arguments: [['[agent]', 'only this agent']],
    options: [],
    help: 'what becomes of each tool call that fails',
    example: 'tools support',
    load: async () => (await import('./commands/tools.ts')).tools,
  },
  {
    name: 'start',
    arguments: [['<agent>', 'name of the agent']],
    options: [
      ['--input <text>', 'what to do: a text, @FILE, or - for standard input'],
      ['--run <id>', 'id of the run; a running one is joined (default: made up)'],
      ['--task <id>', 'what the run is for, over all its runs (default: its id)'],
      ['--deadline <time>', 'how long the run may take, e.g. 10m', readDuration],
      ['--turns <n>', 'how often the model may answer', readCount],
      ['--wait', 'wait for the answer, or until a person has to decide'],
    ],
    help: 'start a run',
    example: 'start support --input "Refund order A-1042" --wait',
    load: async () => (await import('./commands/start.ts')).start,
  },
  {
    name: 'ls',
    arguments: [],
    options: [
      ['--agent <name>', 'only runs of this agent'],
      ['--status <status>', 'only running, waiting, answered, completed, partial, stopped or failed ones'],
      ['--limit <n>', 'at most so many, newest first (default: 20)', readCount],
    ],
    help: 'list runs, newest first',
    example: 'ls --status waiting',
    load: async () => (await import('./commands/ls.ts')).ls,
  },
  {
    name: 'show',
    arguments: [RUN],
    options: [],
    help: 'show a run: turns, calls, attempts, questions',
    example: 'show refund-A-1042',
    load: async () => (await import('./commands/show.ts')).show,
  },
  {
    name: 'watch',
    arguments: [RUN],
    options: [['--from <n>', 'begin after this event (default: from the start)', readOffset]],
    help: 'watch a run until it ends',
    example: 'watch refund-A-1042',
    load: async () => (await import('./commands/watch.ts')).watch,
  },
  {
    name: 'cost',
    arguments: [['[run]', 'only this run (default: all since yesterday)']],
    options: [
      ['--agent <name>', 'only runs of this agent'],
      ['--since <time>', 'only runs that began within this time, e.g. 7d (default: 1d)', readDuration],
      ['--by <what>', 'a line for each (default: turn of a run, else agent)', ['agent', 'turn', 'call', 'attempt']],
      ['--slowest', 'what took longest first (default: by call)'],
    ],
    help: 'show what runs cost and where their time went',
    example: 'cost refund-A-1042 --by attempt',
    load: async () => (await import('./commands/cost.ts')).cost,
  },
  {
    name: 'inbox',
    arguments: [],
    options: [],
    help: 'list what waits for a person',
    example: 'inbox',
    load: async () => (await import('./commands/inbox.ts')).inbox,
  },
  {
    name: 'resolve',
    arguments: [
      QUESTION,
      [
        '<verdict>',
        'what became of the call; abort, which ends the run, counts only where decisions are not signed',
        ['happened', 'did-not-happen', 'reversed', 'abort'],
      ],
    ],
    options: [
      ['--reason <text>', 'how you know (required, kept with the decision)', readWords],
      ['--result <json>', 'with happened: what the tool would have returned, or null', readJson],
      ['--evidence <url>', 'where it can be seen'],
      ['--then <what>', 'with did-not-happen: what follows (default: tell-model)', ['retry', 'tell-model']],
      ['--by <name>', 'who decides (default: your user name)', readWords],
      ['--run <id>', 'the run that asks, where several do'],
      ['--digest <hex>', 'refuse unless the arguments are those with this digest'],
      ['--override', 'did-not-happen although it may still land; recorded'],
      KEY,
    ],
    help: 'settle an unknown outcome',
    example: 'resolve q7f3 happened --result \'{"id":"re_1"}\' --reason "seen in the dashboard"',
    load: async () => (await import('./commands/resolve.ts')).resolve,
  },
  {
    name: 'approve',
    arguments: [QUESTION],
    options: [
      REASON,
      ['--input <json>', 'other arguments for the call, whole; or @FILE'],
      ['--remember [where]', 'let further calls pass whose arguments equal this JSON; alone: any'],
      ...DECIDING,
    ],
    help: 'let a call be made that waits for an approval',
    example: 'approve qk21c --reason "checked with the customer"',
    load: async () => (await import('./commands/approve.ts')).approve,
  },
  {
    name: 'deny',
    arguments: [QUESTION],
    options: [REASON, ...DECIDING],
    help: 'keep a call from being made',
    example: 'deny qk21c --reason "wrong order"',
    load: async () => (await import('./commands/approve.ts')).deny,
  },
  {
    name: 'key',
    arguments: [
      ['<what>', 'make one, show its public part, list all', ['new', 'show', 'ls']],
      ['[name]', 'whose key (default for show: your user name); for show also its file'],
    ],
    options: [['--out <file>', 'with new: where it is written']],
    help: "make and show deciders' keys",
    example: 'key new ada',
    load: async () => (await import('./commands/key.ts')).key,
  },
  {
    name: 'ledger',
    arguments: [],
    options: [
      ['--run <id>', 'only actions of this run'],
      ['--task <id>', 'only records of this task'],
      ['--intent <text>', 'only this action; a part of its name will do'],
      ['--tool <name>', 'only actions of this tool'],
      ['--unsettled', 'only actions of which nobody knows the end'],
      ['--limit <n>', 'at most so many records, the newest (default: 200)', readCount],
      ['--export <file>', 'write the records to a new file, one a line as JSON'],
      ['--verify [files...]', 'look for gaps, and for changes since earlier exports'],
    ],
    help: 'show the record of effects, or verify it',
    example: 'ledger --task refund-A-1042',
    load: async () => (await import('./commands/ledger.ts')).ledger,
  },
  {
    name: 'stop',
    arguments: [RUN],
    options: [
      ['--now', 'give up calls in flight; the default lets them end'],
      ['--reason <text>', 'kept with the run', readWords],
    ],
    help: 'stop a run',
    example: 'stop refund-A-1042 --reason "wrong customer"',
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  {
    name: 'breakers',
    arguments: [],
    options: [],
    help: 'show which providers and tools are given a pause',
    example: 'breakers',
    load: async () => (await import('./commands/breakers.ts')).breakers,
  },
  {
    name: 'setup',
    arguments: [],
    options: [],
    help: 'register the search attributes on your own server',
    example: 'setup --address temporal.example.com:7233',
    load: async () => (await import('./commands/setup.ts')).setup,
  },
  {
    name: 'doctor',
    arguments: [],
    options: [],
    help: 'check that all is in order here, and say what to do',
    example: 'doctor',
    isTolerant: true,
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  // Each command knows its own input, and `never` fits all of them.
] as const satisfies readonly CommandRow<never>[];
