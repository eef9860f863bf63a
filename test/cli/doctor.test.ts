import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkPeople } from '../../src/cli/doctor/check-people.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { findPackages } from '../../src/cli/doctor/find-packages.ts';
import { judgeNode } from '../../src/cli/doctor/judge-node.ts';
import { judgePackages } from '../../src/cli/doctor/judge-packages.ts';
import { judgePrograms } from '../../src/cli/doctor/judge-programs.ts';
import { judgeAttributes, judgeClock, judgeNamespace } from '../../src/cli/doctor/judge-server.ts';
import { doctorScreen } from '../../src/cli/screens/doctor-screen.ts';
import { testAddress } from '../support/rig.ts';
import { plainScreen } from './plain-screen.ts';
import { CONFIG, endClis, runCli, type CliEnd } from './run-cli.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'holdfast-doctor-'));
});
afterEach(async () => {
  await endClis();
  await rm(cwd, { recursive: true, force: true });
});

const { command } = plainScreen();
const present = { is: 'present' } as const;
const attributes = {
  ...{ HoldfastAgent: present, HoldfastTaskId: present, HoldfastStatus: present },
  ...{ HoldfastWaitingFor: present, HoldfastSpendMicros: present },
};
const temporal = { version: '1.9.1', from: 'our cache' };
const one = [
  { name: '@temporalio/worker', version: '1.24.0' },
  { name: '@temporalio/client', version: '1.24.0' },
];

describe('what is found is judged', () => {
  test.each<[string, Finding, Finding['is'], RegExp]>([
    ['a Node that loads TypeScript', judgeNode('22.18.0'), 'ok', /22\.18\.0/],
    ['a newer one', judgeNode('24.1.0'), 'ok', /24/],
    ['a Node just too old', judgeNode('22.17.9'), 'fail', /22\.18 or newer.*node@24/],
    ['one version', judgePackages(one), 'ok', /1\.24\.0/],
    [
      'two versions',
      judgePackages([...one, { ...one[0]!, version: '1.23.0' }]),
      'fail',
      /1\.23\.0 \(@temporalio\/worker\)/,
    ],
    ['no package', judgePackages([]), 'fail', /npm install/],
    ['a Temporal CLI', judgePrograms({ temporal, isExternal: false }), 'ok', /1\.9\.1 \(our cache\)/],
    ['none, and none needed', judgePrograms({ isExternal: true }), 'ok', /none needed/],
    [
      'none yet, with Python',
      judgePrograms({ python: 'Python 3.12', isExternal: false }),
      'warn',
      /3\.12.*dev downloads/,
    ],
    ['none, without Python', judgePrograms({ isExternal: false }), 'warn', /no python3.*install/],
    ['one that does not run', judgePrograms({ insisted: '/x', isExternal: false }), 'warn', /\/x, which does not run/],
    ['a namespace', judgeNamespace('n', { is: 'present', keepsDays: 90 }), 'ok', /n · .* 90 d/],
    ['no namespace', judgeNamespace('n', { is: 'missing' }), 'fail', /"n" does not exist.*create -n n/],
    ['a hidden namespace', judgeNamespace('n', { is: 'unknown', why: 'no right' }), 'warn', /no right/],
    ['all attributes', judgeAttributes(attributes, command), 'ok', /all 5/],
    [
      'a missing attribute',
      judgeAttributes({ ...attributes, HoldfastStatus: { is: 'missing' } }, command),
      'warn',
      /by HoldfastStatus \(missing\).*npx holdfast setup/,
    ],
    ['a clock that agrees', judgeClock({ aheadMs: -900, withinMs: 20 }), 'ok', /within 20 ms/],
    ['a clock far away, by a slow answer', judgeClock({ aheadMs: 2_500, withinMs: 600 }), 'ok', /600 ms/],
    ['a clock that is behind', judgeClock({ aheadMs: 9_000, withinMs: 20 }), 'warn', /9 s behind.*NTP/],
    ['a clock that is ahead', judgeClock({ aheadMs: -9_000, withinMs: 20 }), 'warn', /9 s ahead of/],
    ['a server without a clock', judgeClock(undefined), 'warn', /does not tell/],
  ])('%s', (_, finding, is, words) => {
    expect(finding.is).toBe(is);
    expect(`${finding.says} ${finding.do ?? ''}`).toMatch(words);
    // Whatever is not in order says what to do.
    expect(finding.do === undefined).toBe(is === 'ok');
  });

  test('packages are found in every node_modules above', async () => {
    for (const [folder, version] of [
      ['', '1.24.0'],
      ['a/b', '1.23.0'],
    ] as const) {
      const place = join(cwd, folder, 'node_modules', '@temporalio', 'worker');
      await mkdir(place, { recursive: true });
      await writeFile(join(place, 'package.json'), JSON.stringify({ name: '@temporalio/worker', version }));
    }
    expect(
      findPackages([join(cwd, 'a', 'b', 'c'), cwd])
        .map(({ version }) => version)
        .sort(),
    ).toEqual(['1.23.0', '1.24.0']);
  });

  test('and shown with what to do, within 80 columns', () => {
    const findings = [judgeNode('24.1.0'), judgeNamespace('orders', { is: 'missing' })];
    expect(doctorScreen(findings, plainScreen())).toBe(
      [
        '1 to be put right.',
        '',
        'ok    Node       24.1.0',
        'fail  Namespace  "orders" does not exist on this server',
        '                 → correct --namespace, TEMPORAL_NAMESPACE or the profile; or:',
        '                 temporal operator namespace create -n orders',
      ].join('\n'),
    );
    expect(doctorScreen([judgeNode('24.1.0')], plainScreen())).toMatch(/^All is in order\.\n/);
  });
});

describe('what the environment must hold for people', () => {
  const ops = { name: 'ops', key: 'hmac:OPS' } as const;
  const secret = 's'.repeat(32);
  const url = 'https://ops.example.com/';
  const signing = `whsec_${Buffer.from(secret).toString('base64')}`;
  test.each<[string, Parameters<typeof checkPeople>, string, Finding['is'], RegExp]>([
    ['a secret that is set', [{ deciders: [ops] }, { OPS: secret }], 'Deciders', 'ok', /ops/],
    ['one that is not', [{ deciders: [ops] }, {}], 'Deciders', 'fail', /OPS of ops is not set/],
    ['one that is short', [{ deciders: [ops] }, { OPS: 'x' }], 'Deciders', 'fail', /fewer than 32 bytes/],
    ['notices that are signed', [{ notify: { url } }, { HOLDFAST_NOTIFY_SECRET: signing }], 'Notify', 'ok', /signed/],
    ['notices that are not', [{ notify: { url } }, {}], 'Notify', 'warn', /unsigned: HOLDFAST_NOTIFY_SECRET/],
    ['a secret that is asked for', [{ notify: { url, secretEnv: 'N' } }, {}], 'Notify', 'fail', /N is not set/],
    ['an address that is not there', [{ notify: { url: 'env:HOOK' } }, {}], 'Notify', 'fail', /HOOK is not set/],
    ['a secret for keys', [{}, { HOLDFAST_KEY_SECRETS: `k1:${secret}` }], 'Keys', 'ok', /made with k1/],
    ['one that is short', [{}, { HOLDFAST_KEY_SECRETS: 'k1:x' }], 'Keys', 'fail', /"k1" has fewer/],
  ])('%s', (_, given, check, is, words) => {
    const found = checkPeople(...given).find((one) => one.check === check);
    expect(found).toMatchObject({ is, says: expect.stringMatching(words) as unknown });
    expect(found?.says).not.toContain(secret);
  });
});

describe('on this machine', () => {
  const doctor = (...args: readonly string[]): Promise<CliEnd> =>
    runCli(['doctor', ...args], { cwd, env: { TEMPORAL_ADDRESS: testAddress() } });
  const read = ({ stdout }: CliEnd) =>
    Object.fromEntries((JSON.parse(stdout) as Finding[]).map(({ check, ...finding }) => [check, finding]));

  test('all is in order with the server that the tests run on', async () => {
    const end = await doctor('--config', CONFIG, '--json');
    expect(end).toMatchObject({ code: 0, stderr: '' });
    const found = read(end);
    expect(Object.values(found).map(({ is }) => is)).toEqual(Object.keys(found).map(() => 'ok'));
    expect(found['Clock']).toMatchObject({ says: expect.stringMatching(/within \d+ ms/) as unknown });
    expect(found['Model of support']).toMatchObject({ says: 'holdfast-testing/scripted' });
    expect(found['Namespace']).toMatchObject({ says: expect.stringContaining('default') as unknown });
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(['Node', 'Packages', 'Keys', 'Ledger', 'Transcripts', 'Events']),
    );
  });

  test('a configuration, a store and a namespace that are not in order are each said', async () => {
    await writeFile(join(cwd, 'holdfast.config.ts'), 'throw new Error("DB_URL is not set");');
    await mkdir(join(cwd, '.holdfast', 'ledger.db'), { recursive: true });
    const end = await doctor('--namespace', 'nowhere', '--json');
    expect(end.code).toBe(1);
    const words = (text: string) => ({ is: 'fail', says: expect.stringContaining(text) as unknown });
    expect(read(end)).toMatchObject({
      Config: words('DB_URL is not set'),
      Ledger: words('the file cannot be opened'),
      Namespace: words('"nowhere" does not exist'),
      Events: { is: 'ok' },
      Server: { is: 'ok' },
    });
  });

  test("a certificate that is not there is one row of the server's, and all else is checked too", async () => {
    const env = { TEMPORAL_ADDRESS: testAddress(), TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/client.pem' };
    const end = await runCli(['doctor', '--json'], {
      cwd,
      env: { ...env, TEMPORAL_TLS_CLIENT_KEY_PATH: '/nowhere/k' },
    });
    expect(end).toMatchObject({ code: 1, stderr: '' });
    expect(read(end)).toMatchObject({
      Server: {
        is: 'fail',
        says: expect.stringContaining("open '/nowhere/client.pem'") as unknown,
        do: expect.stringContaining('TEMPORAL_TLS_*') as unknown,
      },
      Ledger: { is: 'ok' },
    });
  });

  test('a local ledger for a server elsewhere is said, and so is a server that is away', async () => {
    const end = await doctor('--address', 'temporal.invalid:7233', '--json');
    expect(end.code).toBe(1);
    expect(read(end)).toMatchObject({
      Ledger: { is: 'fail', says: expect.stringContaining('would not see it') as unknown },
      Server: { is: 'fail', says: expect.stringContaining('cannot reach Temporal') as unknown },
      Config: { is: 'warn', do: expect.stringContaining('holdfast init') as unknown },
    });
  });
});
