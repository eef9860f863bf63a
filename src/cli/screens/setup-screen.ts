import { SEARCH_ATTRIBUTES } from '../../contracts/messages.ts';
import { assertNever } from '../../policy/assert-never.ts';
import type { AttributeName, RegisterOutcome } from '../../temporal/search-attributes.ts';
import type { Paint, Screen } from './screen.ts';
import { table } from './table.ts';
import { wrap } from './fit.ts';

export interface SetupReport {
  readonly address: string;
  readonly namespace: string;
  readonly attributes: Readonly<Record<AttributeName, RegisterOutcome>>;
}

const TYPE_NAMES = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList', INT: 'Int' } as const;

/** What lists lack without an attribute. */
const USES: Readonly<Record<AttributeName, string>> = {
  HoldfastAgent: 'filter by agent',
  HoldfastTaskId: 'filter by task',
  HoldfastStatus: 'filter by status',
  HoldfastWaitingFor: 'filter by what a run waits for',
  HoldfastSpendMicros: 'filter by what a run has cost',
};

/** How each search attribute fares on the server, and what is missing without those it lacks. */
export function setupScreen({ address, namespace, attributes }: SetupReport, { paint, width }: Screen): string {
  const names = Object.keys(attributes) as AttributeName[];
  const missing = names.filter((name) => !isThere(attributes[name]));
  const rows = names.map((name) => [name, TYPE_NAMES[SEARCH_ATTRIBUTES[name]], describe(attributes[name], paint)]);
  return [
    `Search attributes at ${address}, namespace ${namespace}`,
    table(rows, '  '),
    ...(missing.length === 0 ? ['Ready: lists can be filtered.'] : [advice(missing, namespace, width)]),
  ].join('\n');
}

const isThere = ({ is }: RegisterOutcome): boolean => is === 'created' || is === 'already-there';

function describe(outcome: RegisterOutcome, paint: Paint): string {
  switch (outcome.is) {
    case 'created':
      return paint.green('created');
    case 'already-there':
      return 'already there';
    case 'no-permission':
      return paint.yellow(`no permission (${outcome.why})`);
    case 'failed':
      return paint.red(`failed: ${outcome.why}`);
    default:
      return assertNever(outcome);
  }
}

/** Somebody else has to create them: what is missing so long, and what to ask for. */
function advice(missing: readonly AttributeName[], namespace: string, width: number): string {
  const lost = missing.map((name) => USES[name]).join(', ');
  const asked = missing.map(
    (name) =>
      `    temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${TYPE_NAMES[SEARCH_ATTRIBUTES[name]]}`,
  );
  const text = `Runs work without them. What is missing so long: ${lost}. Ask an administrator of the server for:`;
  return [...wrap(text, width), ...asked].join('\n');
}
