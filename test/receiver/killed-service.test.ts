import { describe, expect, test } from '@jest/globals';
import { openKeyStore } from '../../src/receiver/index.ts';
import { eventually } from '../support/eventually.ts';
import { countEffects, send, services } from './service.ts';

const { files, start } = services();

describe('a service killed while it works on a key', () => {
  test.each([
    ['before it acted', 'hangs-before', 0],
    ['after it acted', 'hangs-after', 1],
  ])('%s does not run it again, until it is said what happened', async (_, way, before) => {
    const { file, effects } = files();
    const first = await start({ file, effects, way });
    const lost = send(first.url, { key: 'k' }).catch(() => 'lost');
    expect(await first.line()).toBe('acted');
    await first.kill();
    expect(await lost).toBe('lost');

    const second = await start({ file, effects, way: 'answers' });
    const types = new Set<string | undefined>();
    await eventually('the lease is over', async () => {
      const { type } = await send(second.url, { key: 'k' });
      types.add(type);
      return type === 'outcome-unknown';
    });
    expect([...types].filter((type) => type !== 'in-progress')).toEqual(['outcome-unknown']);
    expect(await send(second.url, { key: 'k', body: '{}' })).toMatchObject({ status: 422 });
    expect(countEffects(effects)).toBe(before);

    const keys = openKeyStore(file);
    expect(await keys.doubtful()).toMatchObject([{ key: 'k', method: 'POST', path: '/refunds' }]);
    await keys.resolve({ key: 'k' }, before === 0 ? 'not-done' : Response.json({ id: 're_1' }));
    keys.close();
    expect(await send(second.url, { key: 'k' })).toMatchObject({ status: 200, text: '{"id":"re_1"}' });
    expect(countEffects(effects)).toBe(1);
  });

  test('in a transaction has done nothing, and the key is free', async () => {
    const { file, effects } = files();
    const first = await start({ file, effects, way: 'hangs-in-transaction' });
    const lost = send(first.url, { key: 'k' }).catch(() => 'lost');
    expect(await first.line()).toBe('acted');
    await first.kill();
    await lost;
    expect(countEffects(file)).toBe(0);
    const second = await start({ file, effects, way: 'answers' });
    expect(await send(second.url, { key: 'k' })).toMatchObject({ status: 200 });
    expect(countEffects(effects)).toBe(1);
  });
});

test('two services with one file act once for a key between them', async () => {
  const { file, effects } = files();
  const [one, two] = [await start({ file, effects, way: 'answers' }), await start({ file, effects, way: 'answers' })];
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => send((at % 2 === 0 ? one : two).url, { key: 'k' })),
  );
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect(countEffects(effects)).toBe(1);
});
