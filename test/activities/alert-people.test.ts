import { expect, test } from '@jest/globals';
import { alertPeople } from '../../src/activities/alert-people.ts';
import type { Alert } from '../../src/contracts/alert.ts';
import { outcome } from '../policy/question-samples.ts';

const request = {
  question: outcome,
  reason: 'reminder',
  run: outcome.run,
  execution: 'e-1',
  task: 'A-1042',
  agent: 'support',
} as const;
const times = { remindMs: 1, escalateMs: undefined };
const ports = { namespace: 'default', place: '--data /srv', now: () => 0 };

test('people are told what the run asks, and how to answer it from where they are', async () => {
  const sent: Alert[] = [];
  const notifier = { send: async (alert: Alert) => void sent.push(alert) };
  await alertPeople({ ...ports, alerts: { notifier, times, webUi: 'http://ui' } }, request);
  expect(sent).toMatchObject([
    {
      type: 'holdfast.question.reminder',
      data: { commands: [expect.stringContaining('--data /srv')], link: expect.stringContaining('http://ui/') },
    },
  ]);
});

test('a receiver that does not take it fails the attempt', async () => {
  const notifier = { send: () => Promise.reject(new Error('hooks.example answered 500.')) };
  await expect(alertPeople({ ...ports, alerts: { notifier, times } }, request)).rejects.toThrow('answered 500');
});

test('without a webhook nobody is told and nothing fails', async () => {
  await expect(alertPeople({ ...ports, alerts: undefined }, request)).resolves.toBeUndefined();
});
