import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classifyModelError } from '../../src/policy/classify-model-error.ts';
import { cleanMessage } from '../../src/policy/clean-message.ts';
import { isSecretName, maskSecrets } from '../../src/policy/mask-secrets.ts';

/** Texts with what must not be left of them. Made up. */
const LEAKS: readonly (readonly [text: string, secret: string])[] = [
  ['Bad key AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY', 'AIza'],
  ['Bad key sk-ant-api03-abcdefgh', 'abcdefgh'],
  ['key=sk-proj-abc_def-ghijklmnop.', 'ghijkl'],
  ['hf_abcdefghijklmnopqrstuvwxyzABCDEFGH', 'abcdef'],
  ['gsk_abcdefghijklmnop1234', 'abcdef'],
  ['github_pat_11ABCDEFG0abcdefghijkl', '11ABC'],
  ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '16C7'],
  ['glpat-abcdefghijklmnopqrst', 'abcdef'],
  ['xoxb-123456789012-abcdefghij', 'abcdef'],
  ['xai-abcdefghijklmnopqrstuvwx', 'abcdef'],
  ['AKIAIOSFODNN7EXAMPLE', 'IOSFOD'],
  ['whsec_abcdefghijklmnopqrst', 'abcdef'],
  ['npm_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdef'],
  ['ya29.abcdefghijklmnopqrstuvwxyz', 'abcdef'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.s5cGh1Qx', 'eyJzdWI'],
  ['-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBg\n-----END PRIVATE KEY-----', 'MIIBV'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIBVgIBADANBg, which is cut off', 'MIIBV'],
  ['x-api-key: abcdef0123456789', 'abcdef'],
  ['api-key=84f0a1b2c3d4e5f60718293a4b5c6d7e', '84f0'],
  ['api-key: 84f0', '84f0'],
  ['apiKey = abc', 'abc'],
  ['Authorization: Token abcdef0123456789', 'abcdef'],
  ['Authorization: Basic dXNlcjpwYXNz', 'dXNl'],
  ['authorization=Bearer abc', 'abc'],
  ['Bearer abcdef0123456789', 'abcdef'],
  ['password=hunter2hunter2', 'hunter2'],
  ['userPassword: "hunter 2"', 'hunter'],
  ["the password: 'hunter, 2'", 'hunter'],
  ['{"client_secret":"abc def"}', 'abc def'],
  [String.raw`{\"sessionToken\":\"abc\"}`, 'abc'],
  ['aws_secret_access_key=wJalrXUtnFEMI/K7MDENG', 'wJal'],
  ['AWS_SESSION_TOKEN=IQoJb3JpZ2lu', 'IQoJ'],
  ['Incorrect API key provided: 0123456789abcdef. You can find yours', '0123'],
  ['incorrect key: 0123456789abcdef0123456789abcdef', '0123'],
  ['Cookie: session=abc; theme=dark', 'abc'],
  ['https://user:hunter2@x.test/a', 'hunter2'],
];

describe('secrets', () => {
  test.each(LEAKS)('are masked: %s', (text, secret) => {
    for (const said of [text, `It said ${text} and no more`, `"${text}"`]) {
      expect(maskSecrets(said)).not.toContain(secret);
      expect(cleanMessage(said)).not.toContain(secret);
    }
    const masked = maskSecrets(text);
    expect(masked).toContain('***');
    expect(maskSecrets(masked)).toBe(masked);
  });

  test.each([
    'the token ran out',
    'Unexpected token in the text',
    'max_tokens: 4096, promptTokens=12',
    'the secret is out',
    'desk-lamp-with-shade, tasks_1, order A-1042',
    'req_011CSHoEeqs5C35K2UUqR7Fy',
    'key: order-1042',
    'a basic idea, the bearer of news',
    'https://x.test/a',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ])('are not seen in: %s', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  test('that are known are masked in every spelling, the longest first', () => {
    const known = ['my own/key+1', 'my own/key+1 and more', 'abc'];
    expect(maskSecrets('a my own/key+1 and more, my own/key+1', known)).toBe('a ***, ***');
    expect(maskSecrets(`?k=${encodeURIComponent('my own/key+1')}&abc`, known)).toBe('?k=***&abc');
    expect(maskSecrets(JSON.stringify({ said: 'x"y\\zzzz' }), ['x"y\\zzzz'])).toBe('{"said":"***"}');
    expect(cleanMessage(`${'x'.repeat(295)} my own/key+1`, known)).not.toContain('my');
  });

  test('masked once are not masked again, whatever stood around them', () => {
    const text = fc.array(fc.oneof(fc.string(), fc.constantFrom(...LEAKS.map(([leak]) => leak), ' ', ': ', '"')));
    fc.assert(
      fc.property(text, (pieces) => {
        const once = maskSecrets(pieces.join(''));
        expect(maskSecrets(once)).toBe(once);
      }),
    );
  });

  test('take no long time to find', () => {
    const before = performance.now();
    for (const piece of [
      'a',
      'a-',
      'a.',
      '=',
      ': ',
      '"',
      'token',
      'api key ',
      'password:',
      '-----BEGIN ',
      'eyJ',
      'sk-',
    ])
      maskSecrets(piece.repeat(20_000));
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test('of the worker are not in what a provider echoes', () => {
    const responseBody = JSON.stringify({
      error: { message: 'Incorrect: my-own-key-of-the-worker!', code: 'invalid_api_key' },
    });
    const error = Object.assign(new Error('x'), { name: 'AI_APICallError', statusCode: 401, responseBody });
    const { message } = classifyModelError(error, { now: 0, secrets: ['my-own-key-of-the-worker'] });
    expect(message).toBe('The model could not be asked (auth): Incorrect: ***!');
  });
});

test.each<[string, boolean]>([
  ...['authorization', 'Authorization', 'proxy-authorization', 'x-api-key', 'apiKey', 'api_key', 'APIKEY'].map(yes),
  ...['password', 'userPassword', 'passwd', 'db_pwd', 'token', 'sessionToken', 'refresh_token', 'X-Auth-Token'].map(
    yes,
  ),
  ...['secret', 'client_secret', 'aws_secret_access_key', 'secretKey', 'privateKey', 'pass', 'set-cookie', 'ssn'].map(
    yes,
  ),
  ...[
    'max_tokens',
    'tokens',
    'tokenCount',
    'key',
    'idempotencyKey',
    'secretary',
    'boardingPass',
    'compass',
    'name',
  ].map(no),
])('the name %s: %p', (name, isSecret) => {
  expect(isSecretName(name)).toBe(isSecret);
});

function yes(name: string): [string, boolean] {
  return [name, true];
}

function no(name: string): [string, boolean] {
  return [name, false];
}
