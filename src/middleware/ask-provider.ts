import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelCall, ModelTarget } from '../contracts/middleware.ts';
import { leave } from './observe-stream.ts';
import { orAborted } from './or-aborted.ts';

/** The innermost call: the provider itself. `modelOf` opens a target's model; it may be asked for the same one many times. */
export function askProvider(modelOf: (target: ModelTarget) => LanguageModelV4 | Promise<LanguageModelV4>): ModelCall {
  return async ({ options, signal, target }) => {
    signal.throwIfAborted();
    const model = await modelOf(target);
    const asked = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
    try {
      return await orAborted(asked, signal);
    } catch (error) {
      // A provider that did not hear the abort may still begin a stream, which nobody will read.
      if (signal.aborted) asked.then(({ stream }) => leave(stream, signal.reason)).catch(() => undefined);
      throw error;
    }
  };
}
