import { describe, expect, test } from '@jest/globals';
import { describeQuestion } from '../../src/policy/describe-question.ts';
import { approval, outcome } from './question-samples.ts';

const place = '--data /d';

describe('a question on the page of its run', () => {
  test('names the verdicts, and the JSON that has none filled in', () => {
    const page = describeQuestion(outcome, { place, signed: false });
    expect(page).toContain('verdicts: happened, did-not-happen, reversed, abort)');
    expect(page).toContain('"verdict": ""');
  });

  test('where decisions are signed, offers no abort, which does not count there, but the command that ends the run', () => {
    const page = describeQuestion(outcome, { place, signed: true });
    expect(page).toContain('verdicts: happened, did-not-happen, reversed)');
    expect(page).not.toContain('abort');
    expect(page).toContain('To end the run instead:\n\n```\nnpx holdfast stop refund-A-1042 --data /d\n```');
    expect(page).not.toContain('"verdict"');
  });

  test.each([true, false])('for an approval it speaks of neither (signed: %s)', (signed) => {
    expect(describeQuestion(approval, { place, signed })).not.toMatch(/abort|holdfast stop/);
  });
});
