/** What a crash report says, whatever wrote it. */
export interface Crash {
  readonly language: 'node' | 'python' | 'java' | 'go' | 'native' | 'unknown';
  /** The error's type, or the signal. */
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

interface Parsed extends Omit<Crash, 'id' | 'language'> {
  readonly language: Crash['language'];
}

type Parser = (text: string) => Parsed | undefined;

/** Reads a crash report of Node, Python, Java, Go or native code. Anything else is `unknown`, by its first line. */
export function readCrash(text: string): Crash {
  const parsers: readonly Parser[] = [readPython, readGo, readNative, readJava, readNode];
  const parsed = parsers.map((parse) => parse(text)).find((one) => one !== undefined) ?? readUnknown(text);
  const [top = parsed.message.replace(/0x[\da-f]+|\d+/gi, '#').slice(0, 60)] = parsed.frames;
  return { ...parsed, id: `${parsed.language}:${parsed.error}@${top}`.replace(/[^\w:@.*<>()-]+/g, '-') };
}

const readNode: Parser = (text) => {
  const head = /^(?:Uncaught )?((?:[A-Z]\w*)?Error)(?: \[\w+\])?(?::\s*(.*))?$/m.exec(text);
  if (!head) return undefined;
  const frames = [...text.matchAll(/^\s+at (?:async )?(?:new )?([^\s(]+)(?: \[as [^\]]+\])? \(([^)]*)\)/gm)];
  const own = frames.filter(([, , place = '']) => !/node_modules|^node:|internal\//.test(place));
  if (frames.length === 0) return undefined;
  return {
    language: 'node',
    error: head[1] ?? '',
    message: head[2] ?? '',
    frames: own.map(([, name = '', place = '']) => `${name}(${fileOf(place)})`),
  };
};

const readPython: Parser = (text) => {
  // The last traceback is the error that ended the program; those before it are what it was handling.
  const last = text.split('Traceback (most recent call last):').slice(1).at(-1);
  const end = last === undefined ? undefined : /^([\w.]+)(?::\s*(.*))?$/m.exec(last);
  if (last === undefined || !end) return undefined;
  const calls = [...last.matchAll(/^\s+File "([^"]+)", line \d+, in (\S+)/gm)].reverse();
  const own = calls.filter(([, file = '']) => !/site-packages|dist-packages|\/lib\/python/.test(file));
  const error = (end[1] ?? '').split('.').at(-1) ?? '';
  return {
    language: 'python',
    error,
    message: end[2] ?? '',
    frames: own.map(([, file = '', name = '']) => `${name}(${fileOf(file)})`),
  };
};

const readJava: Parser = (text) => {
  const frames = /^\s+at ([\w.$]+)\(([\w$]+\.(?:java|kt|scala|groovy)|Native Method|Unknown Source)/m;
  if (!frames.test(text)) return undefined;
  // The innermost cause is the crash; what wraps it depends on who called.
  const cause = text.split(/^Caused by: /m).at(-1) ?? text;
  const head = /([\w.$]+(?:Exception|Error|Throwable))(?::\s*(.*))?/.exec(cause);
  const calls = [...cause.matchAll(new RegExp(frames.source, 'gm'))].map(([, name = '']) => name);
  const own = calls.filter(
    (name) => !/^(java|javax|jdk|sun|kotlin|scala|org\.springframework|org\.apache)\./.test(name),
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
  const calls = [...text.matchAll(/^(?!goroutine|created by|\s)([\w./*()-]+)\((?:.*)\)\n\s+\S+\.go:\d+/gm)];
  const own = calls
    .map(([, name = '']) => name)
    .filter((name) => !/^(runtime|net\/http|main\.main|testing)[./]|^panic$/.test(name));
  return { language: 'go', error: head[1] ?? 'panic', message: head[2] ?? '', frames: own };
};

const readNative: Parser = (text) => {
  const signal = /\b(SIG(?:SEGV|ABRT|BUS|ILL|FPE))\b/.exec(text)?.[1];
  const calls = [...text.matchAll(/^#\d+\s+(?:0x[\da-f]+ in )?([\w:~<>]+)\s*\(/gm)].map(([, name = '']) => name);
  if (!signal || calls.length === 0) return undefined;
  const own = calls.filter((name) => !/^(raise|abort|__libc|start_thread|_start|clone)/.test(name));
  return { language: 'native', error: signal, message: `${signal} in ${own[0] ?? calls[0]}`, frames: own };
};

function readUnknown(text: string): Parsed {
  const message =
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim()
      .slice(0, 200) ?? 'an empty report';
  return { language: 'unknown', error: 'unreadable', message, frames: [] };
}

const fileOf = (place: string): string =>
  place
    .replace(/(:\d+)+$/, '')
    .split(/[\\/]/)
    .at(-1) ?? place;
