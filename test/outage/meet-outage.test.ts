import { expect, test } from '@jest/globals';
import { meetOutage } from './meet-outage.ts';

// `npm run chaos:outage` has more agents, and more time.
test.each([
  { agents: 50, minutes: 1, scale: 20 },
  { agents: 10, minutes: 10, scale: 120 },
])(
  '$agents runs on a real server outlive an outage of $minutes min, $scale times faster: none fails, hardly anything is sent, no rush at its end (K3, N9)',
  async (plan) => {
    const met = await meetOutage(plan);
    expect(met).toMatchObject({ runs: plan.agents, failed: 0 });
    // A rush is told from chance only among many.
    expect(met.broken.filter((bound) => plan.agents >= 50 || !bound.includes('spike'))).toEqual([]);
  },
  120_000,
);
