import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import type { Question } from '../contracts/question.ts';
import { signDecision } from '../policy/decision-signature.ts';
import { signedText } from '../policy/signed-text.ts';

/** Binds a decision to what the question shows, and signs it where a key is given. @throws when the key cannot be used. */
export async function bindDecision<Message extends ResolveOutcome | DecideApproval>(
  message: Message,
  { run, kind, digest }: Pick<Question, 'run' | 'kind' | 'digest'>,
  { namespace, signWith }: { readonly namespace: string; readonly signWith: string | undefined },
): Promise<Message> {
  if (signWith === undefined) return message;
  const bound: Message = { ...message, digest: message.digest ?? digest };
  return { ...bound, signature: await signDecision(signedText({ namespace, run, kind }, bound), signWith) };
}
