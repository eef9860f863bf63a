import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** The model, whose reply is cut after so many parts the first time it says anything of this. */
export function cutOnce(model: LanguageModelV4, after: number, isMeant: (said: string) => boolean): LanguageModelV4 {
  let isCut = false;
  return {
    ...model,
    async doStream(options) {
      const reply = await model.doStream(options);
      let seen = 0;
      let said = '';
      const cut = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          seen += 1;
          if (part.type === 'text-delta') said += part.delta;
          if (isCut || seen < after || !isMeant(said)) controller.enqueue(part);
          else {
            isCut = true;
            controller.error(Object.assign(new TypeError('terminated'), { cause: { code: 'ECONNRESET' } }));
          }
        },
      });
      return { ...reply, stream: reply.stream.pipeThrough(cut) };
    },
  };
}
