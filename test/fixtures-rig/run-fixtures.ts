import { isDeepStrictEqual } from 'node:util';
import type { Finding, Fixture } from './fixture.ts';
import type { BadFixture } from './load-fixtures.ts';
import { runLookUpCase } from './run-look-up-case.ts';
import { isModelProvider, loadPackages, runModelCase } from './run-model-case.ts';
import { runToolCase } from './run-tool-case.ts';

export interface Verdict {
  readonly name: string;
  /** Where we and the case differ, a line each. Empty: it passed. */
  readonly disagreements: readonly string[];
}

/** For people; nothing to compare. */
const NOT_COMPARED = ['note', 'remedy', 'modelSees'];

const AT_ONCE = 8;
const TIMED_AT_ONCE = 4;
const CASE_MS = 30_000;

/**
 * Runs cases, some at a time, and hands each verdict on as it comes. Every case gets one: what cannot be run has failed. Cases with
 * time limits come last and fewer at a time, when everything is loaded: a busy machine is not what they are about.
 */
export async function runFixtures(
  loaded: readonly (Fixture | BadFixture)[],
  tell: (verdict: Verdict) => void = () => {},
): Promise<readonly Verdict[]> {
  const bad = loaded.filter((one) => 'faults' in one).map(({ name, faults }) => ({ name, disagreements: faults }));
  for (const verdict of bad) tell(verdict);
  const fixtures = loaded.flatMap((one) => ('faults' in one ? [] : [one]));
  await loadPackages(new Set(fixtures.map(({ provider }) => provider).filter(isModelProvider)));
  const isTimed = ({ client }: Fixture) => client !== undefined;
  const untimed = await runSome(
    fixtures.filter((fixture) => !isTimed(fixture)),
    AT_ONCE,
    tell,
  );
  const timed = await runSome(fixtures.filter(isTimed), TIMED_AT_ONCE, tell);
  return [...bad, ...untimed, ...timed];
}

async function runSome(
  fixtures: readonly Fixture[],
  atOnce: number,
  tell: (verdict: Verdict) => void,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = [...fixtures];
  const work = async () => {
    for (let fixture = waiting.shift(); fixture; fixture = waiting.shift()) {
      const verdict = { name: fixture.name, disagreements: await judgeFixture(fixture) };
      verdicts.push(verdict);
      tell(verdict);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return verdicts;
}

async function judgeFixture(fixture: Fixture): Promise<readonly string[]> {
  try {
    return disagreementsOf(fixture, await withinTime(runFixture(fixture)));
  } catch (error) {
    return [`could not be run: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function runFixture(fixture: Fixture): Promise<Finding> {
  if (isModelProvider(fixture.provider)) return runModelCase(fixture);
  if (fixture.provider === 'tool') return runToolCase(fixture);
  if (fixture.provider === 'openrouter-generation') return runLookUpCase(fixture);
  throw new Error(`nothing here speaks for the provider "${fixture.provider}".`);
}

async function withinTime(running: Promise<Finding>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not end within ${CASE_MS / 1_000} s.`)), CASE_MS);
  });
  return Promise.race([running, late]).finally(() => clearTimeout(timer));
}

function disagreementsOf({ expect }: Fixture, found: Finding): readonly string[] {
  const fields = Object.entries(expect).filter(([field]) => !NOT_COMPARED.includes(field));
  return fields.flatMap(([field, wanted]) => {
    const got = (found as unknown as Record<string, unknown>)[field];
    return isSame(field, wanted, got) ? [] : [`${field}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`];
  });
}

/** One moment may be written in several ways. */
function isSame(field: string, wanted: unknown, got: unknown): boolean {
  if (field === 'resetsAt') return Date.parse(String(wanted)) === Date.parse(String(got));
  return isDeepStrictEqual(got, wanted);
}
