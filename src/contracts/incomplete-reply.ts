import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** A model's stream ended before it began to answer: nothing was shown to anybody, and it may be asked again. */
export class IncompleteReply extends Error {
  override readonly name = 'IncompleteReply';
  /** How it said that it ended, where it did. */
  readonly finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(finish: IncompleteReply['finish'], headers: IncompleteReply['headers'] = {}) {
    super('the reply ended before it began to answer');
    this.finish = finish;
    this.headers = headers;
  }
}
