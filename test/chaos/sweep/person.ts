import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import type { RunHandle } from '../../../src/client/run-handle.ts';
import type { DecideApproval } from '../../../src/contracts/messages.ts';
import type { Question } from '../../../src/contracts/question.ts';
import type { Answer, Said, Word } from './said.ts';
import { certain, opposite, truthAbout, type Sight } from './words.ts';

/** How a decision travels: through Holdfast's own client, as its CLI does, or as a bare update of another program. */
export type Channel = 'client' | 'update';

/** A person who answers what a run asks, truthfully, by looking at the payments service's own database. */
export interface Person {
  /** Waits until the run asks something. */
  firstQuestion(): Promise<Question>;
  /** Says what there is to see now, although it may count only later, and things that must be refused. */
  answerAtOnce(question: Question): Promise<void>;
  /** The same by a bare signal, which nobody answers. */
  signal(question: Question): Promise<void>;
  /** Answers whatever is asked until `isOver`; then somebody else says the opposite. Never throws. */
  attend(channel: Channel, isOver: () => boolean): Promise<void>;
  readonly said: readonly Said[];
}

export interface PersonOptions extends Sight {
  readonly run: RunHandle;
  /** The same run through Temporal's own client. */
  readonly handle: WorkflowHandle;
}

const LOOK_AGAIN_MS = 400;
/** An update waits for the run's worker, which may just have been killed; the client waits 10 s for what became of it. */
const ANSWER_WITHIN_MS = 12_000;

export function openPerson({ run, handle, ...sight }: PersonOptions): Person {
  const said: Said[] = [];
  const tested = new Set<string>();
  const settled = new Set<string>();

  async function questions(): Promise<readonly Question[]> {
    const view = await run.state().catch(() => undefined);
    return (view?.questions ?? []).filter(({ id }) => !settled.has(id));
  }

  async function say(as: Said['as'], shown: Question, word: Word, channel: Channel = 'update'): Promise<Answer> {
    const answer = await inTime(() => (channel === 'client' ? tellClient(run, word) : update(handle, word)));
    note(as, shown, word, answer);
    return answer;
  }

  function note(as: Said['as'], shown: Question, word: Word, answer: Answer): void {
    const { id, question, digest = '', verdict } = word;
    said.push({
      as,
      id,
      shown: shown.id,
      shownDigest: shown.digest,
      question,
      digest,
      verdict,
      at: Date.now(),
      answer,
    });
  }

  /** What must be refused. Were it accepted, the auditor would see it. */
  async function test(question: Question): Promise<void> {
    if (tested.has(question.id)) return;
    tested.add(question.id);
    const { id } = question;
    const wrong = certain(question);
    await say('wrong-digest', question, { ...wrong, id: `${id}-wrong-digest`, digest: '0123456789abcdef' });
    await say('wrong-question', question, { ...wrong, id: `${id}-wrong-question`, question: 'qzzzzzz' });
  }

  async function answer(question: Question, channel: Channel): Promise<void> {
    await test(question);
    const word = truthAbout(question, sight);
    const { is } = await say('truth', question, word, channel);
    if (is !== 'accepted') return;
    settled.add(question.id);
    await say('second-opinion', question, opposite(word));
  }

  return {
    said,
    async firstQuestion() {
      for (;;) {
        const [question] = await questions();
        if (question) return question;
        await sleep(LOOK_AGAIN_MS);
      }
    },
    async answerAtOnce(question) {
      await say('truth', question, truthAbout(question, sight));
      await test(question);
    },
    async signal(question) {
      const word = truthAbout(question, sight);
      await handle.signal(messageFor(word), word);
      note('truth', question, word, { is: 'signalled', text: '' });
    },
    async attend(channel, isOver) {
      while (!isOver()) {
        for (const question of await questions()) await answer(question, channel);
        await sleep(LOOK_AGAIN_MS);
      }
    },
  };
}

const isApproval = (word: Word): word is DecideApproval => word.verdict === 'approve' || word.verdict === 'deny';
const messageFor = (word: Word): string => (isApproval(word) ? 'decideApproval' : 'resolveOutcome');

async function tellClient(run: RunHandle, word: Word): Promise<Answer> {
  const result = await (isApproval(word) ? run.decideApproval(word) : run.resolveOutcome(word));
  return result.is === 'refused' ? { is: 'refused', text: result.why } : accepted(result.message);
}

async function update(handle: WorkflowHandle, word: Word): Promise<Answer> {
  const args: [Word] = [word];
  return accepted(await handle.executeUpdate<string, typeof args>(messageFor(word), { args, updateId: word.id }));
}

function accepted(text: string): Answer {
  return { is: text.startsWith('It stands already') ? 'same' : 'accepted', text };
}

async function inTime(ask: () => Promise<Answer>): Promise<Answer> {
  const late = sleep(ANSWER_WITHIN_MS).then((): Answer => ({ is: 'none', text: 'no answer in time' }));
  return Promise.race([ask().catch(readRefusal), late]);
}

function readRefusal(error: unknown): Answer {
  const { message } = error as Error;
  if (error instanceof WorkflowUpdateFailedError) return { is: 'refused', text: error.cause?.message ?? message };
  return { is: 'none', text: message };
}
