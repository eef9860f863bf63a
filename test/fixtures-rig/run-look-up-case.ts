import { classifyModelError } from '../../src/policy/classify-model-error.ts';
import { COST_LOOK_UP_WAITS_MS } from '../../src/policy/status-reasons.ts';
import type { Finding, Fixture } from './fixture.ts';
import { openClient } from './open-client.ts';
import { openPeer } from './open-peer.ts';

/** Asks for the cost of a generation: there, and only there, 404 means "not yet". */
export async function runLookUpCase(fixture: Fixture): Promise<Finding> {
  const peer = await openPeer(fixture);
  const client = openClient(fixture, peer);
  try {
    const response = await client.fetch(`${peer.origin}/api/v1/generation?id=gen-fx-000000000001`);
    if (response.ok) return { class: 'ok', reason: 'stop', retry: false, wait: { source: 'none' } };
    if (response.status === 404) {
      return {
        class: 'transient',
        reason: 'not-yet',
        retry: true,
        wait: { source: 'schedule', ms: COST_LOOK_UP_WAITS_MS },
      };
    }
    const responseHeaders = Object.fromEntries(response.headers);
    throw Object.assign(new Error(), {
      statusCode: response.status,
      responseHeaders,
      responseBody: await response.text(),
    });
  } catch (error) {
    const now = fixture.now === undefined ? Date.now() : Date.parse(fixture.now);
    const { class: cls, reason, retry, waitMs, waitFrom = '' } = classifyModelError(error, { now, inOnePiece: true });
    const asked =
      waitMs === undefined
        ? ({ source: 'backoff' } as const)
        : ({ source: 'server', ms: waitMs, from: waitFrom } as const);
    return { class: cls, reason, retry, wait: retry ? asked : { source: 'none' } };
  } finally {
    await client.close();
    await peer.close();
  }
}
