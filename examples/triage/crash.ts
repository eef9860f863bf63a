/** What a crash report says, whatever wrote it. */
export interface Crash {
  readonly language: 'node' | 'python' | 'java' | 'go' | 'rust' | 'dotnet' | 'ruby' | 'native' | 'unknown';
  /** The error's type, its kind or the signal. */
  readonly error: string;
  readonly message: string;
  /** Functions of the program itself, innermost first; frames of runtimes and libraries are left out. */
  readonly frames: readonly string[];
  /**
   * The same for reports of the same crash: language, kind of error and innermost own function. No line numbers, addresses
   * or values: they change with every build and request.
   */
  readonly id: string;
}

type Parsed = Omit<Crash, 'id'>;
type Parser = (text: string) => Parsed | undefined;

/** Reads a crash report. What it does not know is told apart by its first line. */
export function readCrash(text: string): Crash {
  const clean = text.replace(/\r\n?/g, '\n');
  const parsers: readonly Parser[] = [
    readPython,
    readRust,
    readGo,
    readNative,
    readDotnet,
    readJava,
    readRuby,
    readNode,
  ];
  const parsed = parsers.map((parse) => parse(clean)).find((one) => one !== undefined) ?? readUnknown(clean);
  const [top = withoutValues(parsed.message)] = parsed.frames;
  return {
    ...parsed,
    id: `${parsed.language}:${parsed.error}@${top}`.replace(/[^\w:@.*<>()/$-]+/g, '-').slice(0, 180),
  };
}

const readNode: Parser = (text) => {
  const frames = [
    ...text.matchAll(
      /^\s+at (?:async )?(?:new )?(?:([^\s(]+)(?: \[as [^\]]+\])? \(([^)]*)\)|((?:file:|\/|[A-Za-z]:\\|webpack|https?:)\S+:\d+:\d+))/gm,
    ),
    // Firefox and Safari.
    ...text.matchAll(/^\s*([\w$.<>/]*)[@ ]((?:https?|file|webpack):\S+:\d+(?::\d+)?)$/gm),
  ].map(([, name, place, bare]) => ({ name: name || '<anonymous>', place: place ?? bare ?? '' }));
  if (frames.length === 0) return undefined;
  const head = /^(?:.*Uncaught )?((?:[A-Z]\w*)?(?:Error|Exception))(?: \[\w+\])?(?::\s*(.*))?$/m.exec(text);
  const own = frames.filter(({ place }) => !/node_modules|^node:|internal\//.test(place));
  const shown = own.map(({ name, place }) => `${name}(${fileOf(place)})`);
  return { language: 'node', error: head?.[1] ?? 'Error', message: head?.[2] ?? firstLine(text), frames: shown };
};

const readPython: Parser = (text) => {
  // The last traceback is the error that ended the program; those before it are what it was handling.
  const last = text.split('Traceback (most recent call last):').at(-1) ?? text;
  const end = /^((?:\w+\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration|NotFound)?)(?::\s*(.*))?$/m.exec(
    last,
  );
  const calls = [...last.matchAll(/^\s+File "([^"]+)", line \d+(?:, in (\S+))?/gm)].reverse();
  if (!end || calls.length === 0) return undefined;
  const own = calls.filter(([, file = '']) => !/site-packages|dist-packages|\/lib\/python|^<frozen/.test(file));
  const error = (end[1] ?? '').split('.').at(-1) ?? '';
  const frames = own.map(([, file = '', name = '<module>']) => `${name}(${fileOf(file)})`);
  return { language: 'python', error, message: end[2] ?? '', frames };
};

const readJava: Parser = (text) => {
  const frame =
    /^\s+at (?:[\w.$@-]+\/{1,2})*([\w.$<>]+)\((?:[\w$]+\.(?:java|kt|scala|groovy)|Native Method|Unknown Source)/gm;
  // The innermost cause is the crash; what wraps it depends on who called. What was suppressed on the way is not the crash.
  const cause = (text.split(/^Caused by: /m).at(-1) ?? text).split(/^\s+Suppressed: /m)[0] ?? '';
  const calls = [...cause.matchAll(frame)].map(([, name = '']) => name);
  if (calls.length === 0) return undefined;
  const head = /([\w.$]+(?:Exception|Error|Throwable))(?::\s*(.*))?/.exec(cause);
  const own = calls.filter(
    (name) => !/^(java|javax|jakarta|jdk|sun|kotlin|scala|org\.springframework|org\.apache)\./.test(name),
  );
  return {
    language: 'java',
    error: head?.[1]?.split('.').at(-1) ?? 'Exception',
    message: head?.[2] ?? '',
    frames: own,
  };
};

const readGo: Parser = (text) => {
  const head = /^(panic|fatal error): (.*)$/m.exec(text);
  if (!head || !/^goroutine \d+/m.test(text)) return undefined;
  const calls = [...text.matchAll(/^(?!goroutine|created by|\s)([\w./*()-]+)\(.*\)\n\s+\S+\.go:\d+/gm)];
  const own = calls
    .map(([, name = '']) => name)
    .filter((name) => !/^(runtime|net\/http|testing)[./]|^panic$/.test(name));
  const kind = withoutValues(head[2] ?? '')
    .replace(/\[recovered\]|goroutine.*/, '')
    .slice(0, 50);
  return { language: 'go', error: `${head[1] ?? 'panic'}-${kind}`, message: head[2] ?? '', frames: own };
};

const readRust: Parser = (text) => {
  const head = /thread '[^']*'(?: \(\d+\))? panicked at (?:'(.*)', )?([^\s:]+):\d+:\d+:?\n?(.*)/.exec(text);
  if (!head) return undefined;
  const message = head[1] ?? head[3] ?? '';
  const calls = [...text.matchAll(/^\s+\d+:\s+(?:0x[\da-f]+ - )?([\w:<>$. ]+?)(?:::h[\da-f]{16})?$/gm)].map(
    ([, name = '']) => name,
  );
  const own = calls.filter((name) => !/^(std|core|alloc|rust_|__|_start|main$)/.test(name));
  const kind = withoutValues(message).slice(0, 50);
  return {
    language: 'rust',
    error: 'panic',
    message,
    frames: own.length > 0 ? own : [`${fileOf(head[2] ?? '')}-${kind}`],
  };
};

const readDotnet: Parser = (text) => {
  const calls = [...text.matchAll(/^\s+at ([\w.`<>+[\]]+)\(.*\)(?: in .+:line \d+)?$/gm)].map(([, name = '']) => name);
  const head = /(?:Unhandled exception\.? )?((?:\w+\.)+\w*(?:Exception|Error))(?::\s*(.*))?/.exec(text);
  if (!head || calls.length === 0 || !/Unhandled exception| in .+:line \d+/.test(text)) return undefined;
  const own = calls.filter((name) => !/^(System|Microsoft)\./.test(name));
  return { language: 'dotnet', error: head[1]?.split('.').at(-1) ?? '', message: head[2] ?? '', frames: own };
};

const readRuby: Parser = (text) => {
  const head = /^\S*?([\w./-]+\.rb):\d+:in [`']([^']+)': (.*?) \(((?:\w+::)*\w+)\)/m.exec(text);
  if (!head) return undefined;
  const [, file = '', name = '', message = '', error = ''] = head;
  return { language: 'ruby', error, message, frames: [`${name}(${fileOf(file)})`] };
};

const readNative: Parser = (text) => {
  const kind = /AddressSanitizer: ([\w-]+)/.exec(text)?.[1] ?? /\b(SIG(?:SEGV|ABRT|BUS|ILL|FPE))\b/.exec(text)?.[1];
  const calls = [...text.matchAll(/^\s*#\d+\s+(?:0x[\da-f]+ in )?([\w:~<>]+)\s*(?:\(|\s\S+:\d+)/gm)].map(
    ([, name = '']) => name,
  );
  if (!kind || calls.length === 0) return undefined;
  const own = calls.filter((name) => !/^(raise|abort|__|start_thread|_start|clone|malloc|free|operator)/.test(name));
  return { language: 'native', error: kind, message: `${kind} in ${own[0] ?? calls[0]}`, frames: own };
};

function readUnknown(text: string): Parsed {
  return { language: 'unknown', error: 'unreadable', message: firstLine(text), frames: [] };
}

/** The first line with a word in it: a row of signs says nothing. */
function firstLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.find((line) => /\w/.test(line)) ?? lines[0])?.trim().slice(0, 200) ?? 'an empty report';
}

/** Numbers, addresses and times change from one report to the next. */
const withoutValues = (text: string): string => text.replace(/0x[\da-f]+|\d+/gi, '#').slice(0, 120);

/** The file and its folder: `views.py` alone may be anybody's. */
const fileOf = (place: string): string =>
  place
    .replace(/[?#].*?(?=(?::\d+)*$)/, '')
    .replace(/(:\d+)+$/, '')
    .split(/[\\/]/)
    .slice(-2)
    .join('/');
