import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inline } from '../../src/contracts/content.ts';
import type { Question } from '../../src/contracts/question.ts';
import { composeAlert } from '../../src/policy/compose-alert.ts';
import { toSlack } from '../../src/policy/slack-message.ts';
import { approval, outcome } from './question-samples.ts';

const slack = (question: Question, run = question.run) =>
  toSlack(
    composeAlert(
      { question, reason: 'asked', run, task: 'A-1042', agent: 'support' },
      { namespace: 'default', place: '', webUi: 'http://127.0.0.1:8233', at: 0 },
    ),
  );

/** Every text of a message that Slack reads as its markup. */
function markupOf({ text, blocks }: ReturnType<typeof toSlack>): readonly string[] {
  const parts = blocks.flatMap((block) =>
    block.type === 'context' ? block.elements : block.text.type === 'mrkdwn' ? [block.text] : [],
  );
  expect(parts.every(({ verbatim }) => verbatim)).toBe(true);
  return [text, ...parts.map((part) => part.text)];
}

const OURS =
  /<!date\^\d+\^\{date_short_pretty\} \{time\}\|[\d:.TZ-]+>|<http:\/\/127\.0\.0\.1:8233\/[^\s<>|]*\|Open the run>/g;

describe('a Slack message', () => {
  test('of an unknown outcome', () => {
    expect(slack(outcome)).toMatchInlineSnapshot(`
     {
       "blocks": [
         {
           "text": {
             "text": "refund may or may not have happened",
             "type": "plain_text",
           },
           "type": "header",
         },
         {
           "text": {
             "text": "*Question* \`qabcdef\` · *run* \`refund-A-1042\` · *task* \`A-1042\`
     *Intent* \`refund:A-1042\`
     *Amount* \`$49.00\`
     *Since* <!date^1767348164^{date_short_pretty} {time}|2026-01-02T10:02:44.000Z>
     *May still land until* <!date^1767348764^{date_short_pretty} {time}|2026-01-02T10:12:44.000Z>
     • \`No answer in 30 s.\`
     • \`Ledger: claimed, no outcome recorded.\`",
             "type": "mrkdwn",
             "verbatim": true,
           },
           "type": "section",
         },
         {
           "text": {
             "text": "*Arguments*
     \`\`\`{"orderId":"A-1042","amount":49}\`\`\`",
             "type": "mrkdwn",
             "verbatim": true,
           },
           "type": "section",
         },
         {
           "text": {
             "text": "*Decide*
     \`\`\`npx holdfast resolve qabcdef VERDICT --reason "…" --run refund-A-1042\`\`\`",
             "type": "mrkdwn",
             "verbatim": true,
           },
           "type": "section",
         },
         {
           "elements": [
             {
               "text": "<http://127.0.0.1:8233/namespaces/default/workflows/refund-A-1042|Open the run>",
               "type": "mrkdwn",
               "verbatim": true,
             },
           ],
           "type": "context",
         },
       ],
       "text": "refund may or may not have happened (agent support)",
     }
    `);
  });

  test('of an approval', () => {
    expect(markupOf(slack(approval)).join('\n')).toMatchInlineSnapshot(`
     "refund waits for approval (agent support)
     *Question* \`qghjkmn\` · *run* \`refund-A-1042\` · *task* \`A-1042\`
     *Intent* \`refund:A-1042\`
     *Amount* \`$49.00\`
     *Wants* 2 different people; so far: \`anna\`
     *Since* <!date^1767348164^{date_short_pretty} {time}|2026-01-02T10:02:44.000Z>
     *Asked again from* <!date^1767952964^{date_short_pretty} {time}|2026-01-09T10:02:44.000Z>
     • because \`needsApproval: production\`
     *Arguments*
     \`\`\`{"orderId":"A-1042","amount":49}\`\`\`
     *Decide*
     \`\`\`npx holdfast approve qghjkmn --reason "…" --run refund-A-1042
     npx holdfast deny qghjkmn --reason "…" --run refund-A-1042\`\`\`
     <http://127.0.0.1:8233/namespaces/default/workflows/refund-A-1042|Open the run>"
    `);
  });

  test.each([
    '<!channel> wake up',
    '<!here>',
    '<@U012AB3CD>',
    '<#C123|general>',
    '<https://evil.example|Approve here>',
    '&lt;https://evil.example|x&gt;',
    '`*bold*` ``` out of the code',
    'line\n*Decide* `approve it`',
    '\u202Eesrever',
  ])('does not let a model form links, mentions or lines: %j', (text) => {
    const question: Question = {
      ...outcome,
      key: { ...outcome.key, intent: text },
      input: inline({ note: text }),
      known: [text],
      amount: { value: 1, currency: text },
    };
    const parts = markupOf(slack(question));
    const others = parts.map((part) => part.replace(OURS, ''));
    expect(others.join('\n')).not.toMatch(/[<>]|\u202E/);
    expect(others.join('\n')).not.toMatch(/&(?!(amp|lt|gt);)/);
    // Code is opened and closed by us alone: each line of facts has its backticks in pairs.
    expect(parts.filter((part) => part.includes('```')).every((part) => part.split('```').length === 3)).toBe(true);
    const facts = parts.find((part) => part.startsWith('*Question*'))!;
    expect(facts.split('\n').every((line) => line.split('`').length % 2 === 1)).toBe(true);
    expect(facts.split('\n')).toHaveLength(slackFacts);
    expect(parts[0]).toBe('refund may or may not have happened (agent support)');
  });

  test.each(['x', '<', '&', '`', '€', '😀'])('is cut where it would be too long for Slack: %s', (letter) => {
    const long = letter.repeat(10_000);
    const known = Array.from({ length: 100 }, () => long);
    const question = { ...outcome, known, input: inline({ note: long }), key: { ...outcome.key, intent: long } };
    const parts = markupOf(slack(question, long));
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(3_000);
      expect(part).not.toMatch(/&(?!(amp|lt|gt);)/);
      expect(part.isWellFormed()).toBe(true);
    }
  });

  test('keeps to the sizes that Slack takes, whatever is said', () => {
    const any = fc.string({ unit: 'binary', maxLength: 4_000 });
    fc.assert(
      fc.property(any, any, fc.array(any, { maxLength: 30 }), (intent, note, known) => {
        const input = inline({ note: note.repeat(5) });
        const message = slack({ ...outcome, known, input, key: { ...outcome.key, intent } }, note || 'r');
        for (const part of markupOf(message)) expect(part.length).toBeLessThanOrEqual(3_000);
        expect(
          markupOf(message)
            .map((part) => part.replace(OURS, ''))
            .join(''),
        ).not.toMatch(/[<>]/);
      }),
      { numRuns: 200 },
    );
  });
});

const slackFacts = markupOf(slack({ ...outcome, known: ['one'] }))
  .find((part) => part.startsWith('*Question*'))!
  .split('\n').length;
