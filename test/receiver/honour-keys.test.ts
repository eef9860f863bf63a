import { describe, expect, test } from '@jest/globals';
import { honourKeys, NotDone, openKeyStore, toListener, type KeyStoreOptions } from '../../src/receiver/index.ts';
import type { Honouring } from '../../src/receiver/index.ts';
import { fateOf } from '../../src/receiver/fate-of.ts';
import { eventually } from '../support/eventually.ts';
import { send, services } from './service.ts';

const { files, serve } = services();

/** A service whose work is told by the test, and that counts how often it ran. */
async function open(
  work: (request: Request) => Promise<Response>,
  options: KeyStoreOptions & Pick<Honouring, 'keyless'> & { readonly scopeOf?: (request: Request) => string } = {},
) {
  const keys = openKeyStore(files().file, options);
  const ran: string[] = [];
  const errors: unknown[] = [];
  const url = await serve(
    toListener(
      (request) =>
        honourKeys(
          {
            keys,
            request,
            ...(options.keyless && { keyless: options.keyless }),
            ...(options.scopeOf && { scope: options.scopeOf(request) }),
          },
          async () => {
            ran.push(request.url);
            return work(request);
          },
        ),
      (error) => errors.push(error),
    ),
  );
  return { keys, ran, errors, url };
}

/** A gate that work waits at. */
function gate() {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

const refunded = async (request: Request) => Response.json({ id: 're_1', got: await request.json() }, { status: 201 });

describe('a key', () => {
  test('acts once; the same request again is given the same answer', async () => {
    const { url, ran } = await open(async (request) => {
      const response = await refunded(request);
      response.headers.set('location', '/refunds/re_1');
      response.headers.append('set-cookie', 'session=1');
      return response;
    });
    const first = await send(url, { key: 'k' });
    const again = await send(url, { key: 'k' });
    expect(ran).toHaveLength(1);
    expect(first).toMatchObject({ status: 201, text: '{"id":"re_1","got":{"cents":100}}' });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe('/refunds/re_1');
    expect(again.headers.get('content-type')).toBe('application/json');
    expect([first.headers.get('set-cookie'), again.headers.get('set-cookie')]).toEqual(['session=1', null]);
  });

  test('keeps bytes, and an answer without any', async () => {
    const bytes = Uint8Array.from([0, 255, 10, 13, 128]);
    const { url } = await open(async (request) =>
      request.url.endsWith('/none') ? new Response(null, { status: 204 }) : new Response(bytes),
    );
    const get = async (path: string, key: string) => {
      const response = await fetch(url + path, { method: 'POST', headers: { 'idempotency-key': key } });
      return [response.status, ...new Uint8Array(await response.arrayBuffer())];
    };
    expect([await get('/', 'a'), await get('/', 'a')]).toEqual([
      [200, ...bytes],
      [200, ...bytes],
    ]);
    expect([await get('/none', 'b'), await get('/none', 'b')]).toEqual([[204], [204]]);
  });

  test('with other data is refused, whatever of it differs', async () => {
    const { url, ran } = await open(refunded);
    await send(url, { key: 'k' });
    const others = [
      { key: 'k', body: '{"cents":101}' },
      { key: 'k', body: '{"cents": 100}' },
      { key: 'k', path: '/refunds/' },
      { key: 'k', path: '/refunds?dry=1' },
      { key: 'k', path: '//refunds' },
      { key: 'k', method: 'PUT' },
    ];
    for (const other of others) expect(await send(url, other)).toMatchObject({ status: 422, type: 'key-reused' });
    expect(ran).toHaveLength(1);
  });

  test('at work is not run again', async () => {
    const { passed, open: letPass } = gate();
    const { url, ran } = await open(async (request) => {
      await passed;
      return refunded(request);
    });
    const first = send(url, { key: 'k' });
    await eventually('the work begins', () => ran.length === 1);
    const second = await send(url, { key: 'k' });
    expect(second).toMatchObject({ status: 409, type: 'in-progress' });
    expect(second.headers.get('retry-after')).toBe('1');
    expect(second.headers.get('content-type')).toBe('application/problem+json');
    expect(await send(url, { key: 'k', body: '{}' })).toMatchObject({ status: 422 });
    letPass();
    expect((await first).status).toBe(201);
    expect(await send(url, { key: 'k' })).toMatchObject({ status: 201 });
    expect(ran).toHaveLength(1);
  });

  test('is one of many equal requests, and the others are told so', async () => {
    const { url, ran } = await open(async (request) => {
      await new Promise((resolve) => setImmediate(resolve));
      return refunded(request);
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(url, { key: 'k' })));
    expect(ran).toHaveLength(1);
    expect(
      answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed')),
    ).toHaveLength(1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  });

  test('of another caller is another key', async () => {
    const { url, ran } = await open(refunded, {
      scopeOf: ({ url: path }) => new URL(path).searchParams.get('who') ?? '',
    });
    await send(url, { key: 'k', path: '/refunds?who=anna' });
    expect(await send(url, { key: 'k', path: '/refunds?who=ben' })).toMatchObject({ status: 201 });
    expect(ran).toHaveLength(2);
  });

  test('is wanted where something could change', async () => {
    const { url, ran } = await open(async () => Response.json([]));
    expect(await send(url, {})).toMatchObject({ status: 400, type: 'key-missing' });
    expect(await send(url, { method: 'DELETE' })).toMatchObject({ status: 400, type: 'key-missing' });
    expect(ran).toEqual([]);
    expect(await send(url, { method: 'GET' })).toMatchObject({ status: 200 });
    expect(await send(url, { method: 'GET', key: 'k' })).toMatchObject({ status: 200 });
    expect(await send(url, { method: 'GET', key: 'k' })).toMatchObject({ status: 200 });
    expect(ran).toHaveLength(3);
  });

  test('is not wanted where the service says so', async () => {
    const { url, ran } = await open(refunded, { keyless: 'allow' });
    expect(await send(url, {})).toMatchObject({ status: 201 });
    expect(await send(url, {})).toMatchObject({ status: 201 });
    expect(ran).toHaveLength(2);
  });

  test.each(['x'.repeat(256), 'two words', 'a, b', 'é', 'tab\there'])(
    'that cannot be one is refused: %j',
    async (key) => {
      const { url, ran } = await open(refunded, { keyless: 'allow' });
      expect(await send(url, { key })).toMatchObject({ status: 400, type: 'key-unusable' });
      expect(ran).toEqual([]);
    },
  );

  test.each(['x'.repeat(255), '"8e03978e-40d5-43e8-bc93-6894a57f9324"', '0'])('can be %j', async (key) => {
    const { url } = await open(refunded);
    expect(await send(url, { key })).toMatchObject({ status: 201 });
  });
});

describe('the work of a key', () => {
  test.each([
    [400, 1],
    [404, 1],
    [429, 2],
  ])('that answers %i runs %i times for two requests', async (status, times) => {
    const { url, ran } = await open(async () => new Response('no', { status }));
    expect(await send(url, { key: 'k' })).toMatchObject({ status, text: 'no' });
    expect(await send(url, { key: 'k' })).toMatchObject({ status, text: 'no' });
    expect(ran).toHaveLength(times);
  });

  test.each([
    ['throws', 500, () => Promise.reject(new Error('SECRET database trouble'))],
    ['answers 500', 500, async () => new Response('broken', { status: 500 })],
    ['answers 504', 504, async () => new Response('late', { status: 504 })],
    ['answers with what cannot be sent', 500, async () => Response.error()],
    ['answers with no Response', 500, async () => ({ status: 199, headers: [], body: null }) as never],
    [
      'breaks off its answer',
      500,
      async () => new Response(new ReadableStream({ pull: (to) => to.error(new Error('SECRET')) })),
    ],
  ])('that %s is not run again before it is known what happened', async (_, status, work) => {
    const { url, ran, keys } = await open(work);
    const first = await send(url, { key: 'k' });
    expect(first.status).toBe(status);
    expect(first.text).not.toContain('SECRET');
    const again = await send(url, { key: 'k' });
    expect(again).toMatchObject({ status: 409, type: 'outcome-unknown' });
    expect(again.headers.get('retry-after')).toBeNull();
    expect(ran).toHaveLength(1);
    expect(await keys.doubtful()).toEqual([
      { scope: '', key: 'k', method: 'POST', path: '/refunds', startedAt: expect.any(Number) },
    ]);
    await keys.resolve({ key: 'k' }, Response.json({ id: 're_1' }, { status: 201 }));
    expect(await send(url, { key: 'k' })).toMatchObject({ status: 201, text: '{"id":"re_1"}' });
    expect(await keys.doubtful()).toEqual([]);
    expect(ran).toHaveLength(1);
  });

  test('whose error is said to have done nothing may run again', async () => {
    const ends = [() => Promise.reject(new Error('broken')), () => Promise.resolve(new Response('done'))];
    const { url, ran, keys, errors } = await open(() => ends.shift()!());
    await send(url, { key: 'k' });
    expect(errors).toMatchObject([{ message: 'broken' }]);
    await keys.resolve({ key: 'k' }, 'not-done');
    expect(await send(url, { key: 'k' })).toMatchObject({ status: 200, text: 'done' });
    expect(ran).toHaveLength(2);
  });

  test('whose answer cannot be sent is told why, and the service may not say it either', async () => {
    const { url, keys, errors } = await open(async () => Response.error());
    await send(url, { key: 'k' });
    expect(errors).toMatchObject([{ message: expect.stringContaining('status 0 cannot be sent') }]);
    await expect(keys.resolve({ key: 'k' }, Response.error())).rejects.toThrow('status 0 cannot be sent');
    expect(await keys.doubtful()).toHaveLength(1);
  });

  test.each<[number, ReturnType<typeof fateOf>]>([
    [-1, 'doubt'],
    [0, 'doubt'],
    [101, 'doubt'],
    [199, 'doubt'],
    [200, 'keep'],
    [303, 'keep'],
    [400, 'keep'],
    [408, 'doubt'],
    [429, 'free'],
    [499, 'keep'],
    [500, 'doubt'],
    [599, 'doubt'],
    [600, 'doubt'],
    [200.5, 'doubt'],
    [NaN, 'doubt'],
  ])('that answers %d: %s', (status, fate) => {
    expect(fateOf(status)).toBe(fate);
  });

  test('that says itself that it did nothing is run again when asked again', async () => {
    const ends = [
      () => Promise.reject(new NotDone('The stock is locked.')),
      () => Promise.resolve(new Response('done')),
    ];
    const { url, errors } = await open(() => ends.shift()!());
    const first = await send(url, { key: 'k' });
    expect(first).toMatchObject({ status: 503, type: 'not-done' });
    expect(first.text).toContain('The stock is locked.');
    expect(await send(url, { key: 'k' })).toMatchObject({ status: 200 });
    expect(errors).toEqual([]);
  });

  test('may take longer than a lease', async () => {
    const { passed, open: letPass } = gate();
    const { url, ran } = await open(
      async () => {
        await passed;
        return new Response('done');
      },
      { lease: '300ms' },
    );
    const first = send(url, { key: 'k' });
    await eventually('the work begins', () => ran.length === 1);
    const since = Date.now();
    const types = new Set<string | undefined>();
    await eventually('four leases', async () => {
      types.add((await send(url, { key: 'k' })).type);
      return Date.now() - since > 1_200;
    });
    expect([...types]).toEqual(['in-progress']);
    letPass();
    expect((await first).text).toBe('done');
  });

  test('goes on when its caller has gone', async () => {
    const { passed, open: letPass } = gate();
    const { url, ran } = await open(async () => {
      await passed;
      return new Response('done');
    });
    const caller = new AbortController();
    const headers = { 'idempotency-key': 'k' };
    const gone = fetch(url, { method: 'POST', headers, signal: caller.signal }).catch(() => 'gone');
    await eventually('the work begins', () => ran.length === 1);
    caller.abort();
    expect(await gone).toBe('gone');
    letPass();
    const again = () => send(url, { key: 'k', path: '/', body: '' });
    await eventually('the answer is kept', async () => (await again()).text === 'done');
    expect(ran).toHaveLength(1);
  });
});

describe('a kept answer', () => {
  test('is forgotten after its time; a key in doubt never is', async () => {
    let now = Date.now();
    const { url, ran } = await open(
      async (request) => (request.url.endsWith('/breaks') ? new Response('', { status: 500 }) : refunded(request)),
      { now: () => now, expireAfter: '3d' },
    );
    await send(url, { key: 'k' });
    await send(url, { key: 'b', path: '/breaks' });
    now += 3 * 86_400_000 - 1;
    expect((await send(url, { key: 'k' })).headers.get('idempotency-replayed')).toBe('true');
    now += 400 * 86_400_000;
    expect((await send(url, { key: 'k' })).headers.get('idempotency-replayed')).toBeNull();
    expect(await send(url, { key: 'b', path: '/breaks' })).toMatchObject({ type: 'outcome-unknown' });
    expect(ran).toHaveLength(3);
  });

  test('is kept for longer than callers repeat a request', () => {
    expect(() => openKeyStore(files().file, { expireAfter: '20h' })).toThrow(
      'expireAfter is "20h". A caller may repeat',
    );
    expect(() => openKeyStore(files().file, { expireAfter: 'soon' as never })).toThrow('not a duration');
    expect(() => openKeyStore('/not/there/keys.db')).toThrow('Cannot open the keys at /not/there/keys.db');
  });
});

describe('the word of the service on a key', () => {
  test('counts for keys in doubt alone', async () => {
    const { passed, open: letPass } = gate();
    const { url, ran, keys } = await open(async () => {
      await passed;
      return new Response('done');
    });
    await expect(keys.resolve({ key: 'k' }, 'not-done')).rejects.toThrow('Cannot resolve key "k": it is not known');
    const first = send(url, { key: 'k' });
    await eventually('the work begins', () => ran.length === 1);
    await expect(keys.resolve({ key: 'k' }, 'not-done')).rejects.toThrow('may still be running');
    letPass();
    await first;
    await expect(keys.resolve({ key: 'k' }, 'not-done')).rejects.toThrow('it was answered with 200, which stands');
    await expect(keys.resolve({ key: 'k', scope: 'x' }, 'not-done')).rejects.toThrow('not known');
  });

  test.each<[string, () => Promise<Response>]>([
    ['with an answer', async () => new Response('late')],
    ['with nothing done', () => Promise.reject(new NotDone('late'))],
    ['with an error', () => Promise.reject(new Error('late'))],
  ])('is not undone by work that ends after it %s', async (_, end) => {
    let now = Date.now();
    const { passed, open: letPass } = gate();
    const { url, ran, keys } = await open(() => passed.then(end), { now: () => now, lease: '1h' });
    const first = send(url, { key: 'k' });
    await eventually('the work begins', () => ran.length === 1);
    now += 2 * 3_600_000;
    await keys.resolve({ key: 'k' }, new Response('said'));
    letPass();
    await first;
    expect(await send(url, { key: 'k' })).toMatchObject({ status: 200, text: 'said' });
    expect(ran).toHaveLength(1);
  });

  test('that nothing was done gives the key to the next request, also when the first ends after all', async () => {
    let now = Date.now();
    const { passed, open: letPass } = gate();
    const ends = [() => passed.then(() => new Response('late')), () => Promise.resolve(new Response('second'))];
    const { url, ran, keys } = await open(() => ends.shift()!(), { now: () => now, lease: '1h' });
    const first = send(url, { key: 'k' });
    await eventually('the work begins', () => ran.length === 1);
    now += 2 * 3_600_000;
    await keys.resolve({ key: 'k' }, 'not-done');
    expect((await send(url, { key: 'k' })).text).toBe('second');
    letPass();
    expect((await first).text).toBe('late');
    expect((await send(url, { key: 'k' })).text).toBe('second');
  });
});

describe('a listener', () => {
  test('hands on the target as it was sent', async () => {
    const { url, ran } = await open(refunded);
    await send(url, { key: 'k', path: '//refunds/%41?who=a&who=b' });
    expect(ran).toEqual([`${url}//refunds/%41?who=a&who=b`]);
  });

  test('that comes after a body parser says so instead of taking every body for the same', async () => {
    const errors: unknown[] = [];
    const listener = toListener(refunded, (error) => errors.push(error));
    const url = await serve((request, response) => {
      request.resume().once('end', () => {
        listener(request, response);
      });
    });
    expect(await send(url, { key: 'k' })).toMatchObject({ status: 500 });
    expect(errors).toMatchObject([{ message: expect.stringContaining('before body parsers') }]);
  });
});
