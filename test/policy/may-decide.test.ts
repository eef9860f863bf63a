import { describe, expect, test } from '@jest/globals';
import { mayDecide } from '../../src/policy/may-decide.ts';
import { anna, ben, ops } from './decider-samples.ts';

const DECIDERS = [anna, ben, ops];
const refund = { agent: 'support', tool: 'refund', kind: 'approval' } as const;

describe('who may decide', () => {
  test.each([
    ['anna', refund],
    ['anna', { agent: 'release', tool: 'deploy', kind: 'outcome' }],
    ['ben', refund],
    ['ben', { ...refund, kind: 'outcome' }],
    ['ops', { ...refund, kind: 'outcome' }],
  ] as const)('%s may: %j', (by, about) => {
    expect(mayDecide(DECIDERS, { by, ...about })).toMatchObject({ is: 'decider', decider: { name: by } });
  });

  test.each([
    ['ben', { ...refund, agent: 'release' }, '"ben" may not decide approvals of refund of agent release.'],
    ['ben', { ...refund, tool: 'send_note' }, '"ben" may not decide approvals of send_note of agent support.'],
    ['ops', refund, '"ops" may not decide approvals of refund of agent support. Those who may: anna, ben.'],
    ['mallory', refund, '"mallory" is no decider and may not decide approvals of refund of agent support.'],
    ['Anna', refund, '"Anna" is no decider'],
    ['anna ', refund, '"anna " is no decider'],
    ['', refund, '"" is no decider'],
  ] as const)('%j may not: %j', (by, about, why) => {
    expect(mayDecide(DECIDERS, { by, ...about })).toMatchObject({ is: 'refused', why: expect.stringContaining(why) });
  });

  test('nobody may, and it is said', () => {
    expect(mayDecide([ops], { by: 'ops', ...refund })).toMatchObject({ why: expect.stringContaining('Nobody may') });
  });
});
