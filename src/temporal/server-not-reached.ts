import { knock } from './ports.ts';
import type { TemporalTarget } from './settings.ts';

/** No working connection to Temporal. The message is for people: where, why, and what to do next. The CLI exits with 4. */
export class ServerNotReached extends Error {
  override readonly name = 'ServerNotReached';
}

// gRPC's codes; grpc-js is the client's dependency, not ours.
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;
const ANSWER_WITHIN_MS = 1_000;

/** Says why connecting failed. gRPC answers most troubles with the same words, so the address is tried once more without it. */
export async function explainNotReached(
  target: TemporalTarget,
  address: string,
  cause: unknown,
): Promise<ServerNotReached> {
  const code = (cause as { code?: unknown }).code;
  const refused =
    code === PERMISSION_DENIED || code === UNAUTHENTICATED || /unauthenticated|permission/i.test(String(cause));
  const why = refused ? 'it refuses these credentials' : await readReason(address);
  const remedy = target.is === 'local' ? '  Start it:   holdfast dev' : externalRemedy(refused);
  return new ServerNotReached(`cannot reach Temporal at ${address}: ${why}.\n${remedy}`, { cause });
}

/** For a data folder that no server serves. */
export function noLocalServer(dataDir: string, why: string): ServerNotReached {
  return new ServerNotReached(
    `no Temporal server runs for ${dataDir} (${why}).\n` +
      '  Start it:           holdfast dev\n' +
      '  Or use another:     export TEMPORAL_ADDRESS=host:7233',
  );
}

async function readReason(address: string): Promise<string> {
  const door = await knock(address, ANSWER_WITHIN_MS);
  return door.is === 'closed' ? door.why : 'something listens there, but it does not speak to us as Temporal does';
}

function externalRemedy(refused: boolean): string {
  return refused
    ? '  Check:      TEMPORAL_API_KEY, TEMPORAL_NAMESPACE and the TEMPORAL_TLS_* variables, or the profile'
    : '  Check:      TEMPORAL_ADDRESS or the profile, and TLS (TEMPORAL_TLS, TEMPORAL_API_KEY)\n' +
        '  Or our own: unset TEMPORAL_ADDRESS TEMPORAL_PROFILE, then holdfast dev';
}
