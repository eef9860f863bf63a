import fc from 'fast-check';
import type { Content } from '../../src/contracts/content.ts';
import type { Json } from '../../src/contracts/json.ts';
import type { LedgerEntry, LedgerStatement } from '../../src/contracts/ledger.ts';

/** Any text JavaScript can hold: NUL, backslashes and halves of surrogate pairs too. */
export const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0x5c, 0x75, 0x30, 0xd800, 0xdc00)), {
      maxLength: 8,
    })
    .map((units) => String.fromCharCode(...units)),
);

/** JSON has no -0: it comes back as 0. */
export const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value)) as Json);

const anyContent: fc.Arbitrary<Content> = fc.oneof(
  anyJson.map((value) => ({ is: 'inline', value }) as const),
  fc.record({ is: fc.constant('stored'), ref: fc.stringMatching(/^[0-9a-f]{64}$/), sizeBytes: fc.nat() }),
);

const claim = anyText;

const anyStatement: fc.Arbitrary<LedgerStatement> = fc.oneof(
  fc.record({
    is: fc.constant('claimed'),
    claim,
    schedule: fc.nat(),
    holder: anyText,
    sendBy: fc.nat(),
    input: anyContent,
    digest: anyText,
    landsWithinMs: fc.nat(),
    effect: fc.constantFrom('read-only', 'idempotent', 'by-key', 'unflagged'),
  }),
  fc.record({ is: fc.constant('withdrawn'), schedule: fc.nat() }),
  fc.record({ is: fc.constant('not-executed'), claim, proof: anyText, sent: fc.boolean(), definite: fc.boolean() }),
  fc.record({ is: fc.constant('done'), claim, result: anyContent, late: fc.boolean() }),
  fc.record({ is: fc.constant('failed'), claim, message: anyText }),
);

/** A value out of a few, so that keys, tasks and runs meet. */
const few = (values: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b') }, values);

export const anyEntry: fc.Arbitrary<LedgerEntry> = fc
  .record({
    key: fc.record({ namespace: few(anyText), scope: few(anyText), intent: few(anyText) }),
    task: few(anyText),
    run: few(anyText),
    execution: anyText,
    call: anyText,
    tool: anyText,
    generation: fc.nat(),
    at: fc.maxSafeNat(),
  })
  .chain((base) => anyStatement.map((statement) => ({ ...base, ...statement })));
