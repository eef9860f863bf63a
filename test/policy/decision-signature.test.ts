import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../src/contracts/canonical-json.ts';
import type { Decider } from '../../src/contracts/decider.ts';
import type { Json } from '../../src/contracts/json.ts';
import type { DecideApproval, ResolveOutcome } from '../../src/contracts/messages.ts';
import { signDecision, verifySignature } from '../../src/policy/decision-signature.ts';
import { makeEd25519Key } from '../../src/policy/ed25519-key.ts';
import { signedText, type Asked } from '../../src/policy/signed-text.ts';
import { anna, ANNA_KEY, approved, asked, BEN_KEY, ops, OPS_SECRET, resolved, seed } from './decider-samples.ts';

const secretOf = (name: string) => (name === 'OPS_SECRET' ? OPS_SECRET : undefined);
const verify = (text: string, signature: string | undefined, decider: Decider = anna) =>
  verifySignature({ text, signature, decider, secretOf });

const SIGNERS = [
  ['ed25519', anna, ANNA_KEY.secret],
  ['hmac', ops, OPS_SECRET],
] as const;

describe('a signed decision', () => {
  test.each(SIGNERS)('is verified with the key of its decider: %s', async (_, decider, secret) => {
    const text = signedText(asked, resolved);
    expect(await verify(text, await signDecision(text, secret), decider)).toEqual({ is: 'valid' });
  });

  test.each(SIGNERS)(
    'is verified after its way through JSON, in any order of fields: %s',
    async (_, decider, secret) => {
      const signature = await signDecision(signedText(asked, approved), secret);
      const turned = Object.fromEntries(Object.entries(approved).reverse());
      const received = JSON.parse(JSON.stringify({ ...turned, signature })) as DecideApproval;
      expect(await verify(signedText(asked, received), signature, decider)).toEqual({ is: 'valid' });
    },
  );

  test('reads the same with a field undefined as without it, and with what a store adds', () => {
    const { result, ...rest } = resolved;
    expect(result).toBeDefined();
    expect(signedText(asked, { ...rest, result: undefined })).toBe(signedText(asked, rest));
    expect(signedText(asked, { ...resolved, settledBy: 'person', signature: 'abc' } as never)).toBe(
      signedText(asked, resolved),
    );
  });

  test('has one text, which names its format', () => {
    expect(signedText(asked, { id: 'd', question: 'q', verdict: 'abort', by: 'anna', reason: 'r' })).toBe(
      '{"decision":{"by":"anna","id":"d","question":"q","reason":"r","verdict":"abort"},' +
        '"format":"holdfast-decision/1","kind":"outcome","namespace":"default","run":"refund-A-1042"}',
    );
  });
});

const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;

/** Another value in one field, or the field taken away: what a forger can do to a message. */
const changeOf = (message: ResolveOutcome | DecideApproval) =>
  fc
    .constantFrom(...Object.keys(message), 'then', 'override', 'result', 'input', 'remember')
    .chain((field) => fc.option(json, { nil: undefined }).map((value) => ({ ...message, [field]: value })));

const away = (field: keyof Asked) => fc.string().map((value) => ({ ...asked, [field]: value }));

describe.each(SIGNERS)('a signature by %s', (_, decider, secret) => {
  test.each([
    ['outcome', resolved],
    ['approval', approved],
  ] as const)('breaks with any change of any field: %s', async (kind, message) => {
    const text = signedText({ ...asked, kind }, message);
    const signature = await signDecision(text, secret);
    await fc.assert(
      fc.asyncProperty(changeOf(message), async (changed) => {
        const other = signedText({ ...asked, kind }, changed);
        const isSame = canonicalJson(changed) === canonicalJson(message as never);
        expect((await verify(other, signature, decider)).is).toBe(isSame ? 'valid' : 'refused');
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ...Object.keys(resolved).map((field) => [field, 'outcome', resolved] as const),
    ...Object.keys(approved).map((field) => [field, 'approval', approved] as const),
  ])('breaks when %s of an %s is taken away', async (field, kind, message) => {
    const signature = await signDecision(signedText({ ...asked, kind }, message), secret);
    const less = { ...message, [field]: undefined } as never;
    expect((await verify(signedText({ ...asked, kind }, less), signature, decider)).is).toBe('refused');
  });

  test('never verifies for another namespace, run or kind of question', async () => {
    const text = signedText(asked, resolved);
    const signature = await signDecision(text, secret);
    await fc.assert(
      fc.asyncProperty(fc.oneof(away('namespace'), away('run'), away('kind')), async (elsewhere) => {
        fc.pre(JSON.stringify(elsewhere) !== JSON.stringify(asked));
        expect((await verify(signedText(elsewhere, resolved), signature, decider)).is).toBe('refused');
      }),
    );
  });

  test('is not forged in 1,000 attempts', async () => {
    const text = signedText(asked, resolved);
    const signature = await signDecision(text, secret);
    const forgery = fc.oneof(
      fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
      fc.nat(signature.length - 1).map((at) => signature.slice(0, at)),
      fc
        .tuple(fc.nat(signature.length - 1), fc.constantFrom('A', 'Q', 'g', 'w', 'z', '0', '9', '-', '_'))
        .map(([at, letter]) => signature.slice(0, at) + letter + signature.slice(at + 1)),
      fc.constantFrom('', ' ', `${signature}=`, `${signature}A`, ` ${signature}`, signature.toLowerCase()),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(forgery, async (forged) => {
        fc.pre(forged !== signature);
        expect((await verify(text, forged, decider)).is).toBe('refused');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a decision that cannot be verified', () => {
  const text = signedText(asked, resolved);

  test('unsigned', async () => {
    expect(await verify(text, undefined)).toMatchObject({ is: 'refused', why: expect.stringContaining('not signed') });
  });

  test('signed with the key of another decider', async () => {
    const signature = await signDecision(text, BEN_KEY.secret);
    expect(await verify(text, signature)).toMatchObject({ why: expect.stringContaining('not one of anna') });
  });

  test('the worker has no secret, or one that could be guessed', async () => {
    const signature = await signDecision(text, OPS_SECRET);
    const check = (secret: string | undefined) =>
      verifySignature({ text, signature, decider: ops, secretOf: () => secret });
    expect(await check(undefined)).toMatchObject({ why: expect.stringContaining('no OPS_SECRET') });
    expect(await check('short')).toMatchObject({ why: expect.stringContaining('32 bytes') });
    expect(await check('short')).not.toMatchObject({ why: expect.stringContaining('short') });
  });

  test('a public key that is a placeholder, no point of the curve, or no key at all', async () => {
    const forged = Buffer.from([1, ...new Array<number>(63).fill(0)]).toString('base64url');
    const keys = [seed(0), Uint8Array.from([1, ...new Array<number>(31).fill(0)]), seed(255), seed(7)];
    for (const key of keys.map((bytes) => `ed25519:${Buffer.from(bytes).toString('base64url')}` as const)) {
      for (let at = 0; at < 50; at++) {
        expect((await verify(`${text}${at}`, forged, { ...anna, key })).is).toBe('refused');
      }
    }
    expect(await verify(text, forged, { ...anna, key: 'ed25519:abc' })).toMatchObject({
      why: expect.stringContaining('cannot be used'),
    });
  });

  test('a signature of a megabyte', async () => {
    expect((await verify(text, 'A'.repeat(1_000_000))).is).toBe('refused');
  });
});

describe('a key', () => {
  test('is a function of its seed, and its public half is what other programs make of it', async () => {
    // RFC 8032, section 7.1, test 1.
    const rfc = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    const key = await makeEd25519Key(rfc);
    expect(key.public).toBe('ed25519:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo');
    expect(key.secret).toBe('holdfast-ed25519:nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A');
  });

  test.each(['holdfast-ed25519:', 'holdfast-ed25519:abc', `${ANNA_KEY.secret}\n`, `${ANNA_KEY.secret}AA`])(
    'that is not whole is refused and not shown: %j',
    async (secret) => {
      const message = await signDecision('text', secret).catch((error: unknown) => String(error));
      expect(message).toContain('The secret key is not');
      expect(message).not.toContain(secret.slice(20) || 'nothing to find');
    },
  );

  test('that is a short secret signs nothing', async () => {
    await expect(signDecision('text', 'x'.repeat(31))).rejects.toThrow('fewer than 32 bytes');
    await expect(makeEd25519Key(seed(1).slice(1))).rejects.toThrow('43 characters');
  });
});
