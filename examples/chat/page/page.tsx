import { useChat } from '@ai-sdk/react';
import { useEffect, useRef, useState, type KeyboardEvent, type SubmitEvent } from 'react';
import { createRoot } from 'react-dom/client';
import type { ChatMessage, ProgressData } from 'holdfast/chat';
import { Answer } from './answer.tsx';

/** The chat's id is in the address, so that a reload, or another tab, shows the same chat. */
function chatOfAddress(): string {
  const known = location.hash.slice(1);
  if (known !== '') return known;
  const made = crypto.randomUUID();
  history.replaceState(null, '', `#${made}`);
  return made;
}

const AGAIN_MS = 1_000;

function Chat({ id, before }: { readonly id: string; readonly before: ChatMessage[] }) {
  const [progress, setProgress] = useState<ProgressData>();
  const { messages, sendMessage, regenerate, resumeStream, stop, status, error } = useChat<ChatMessage>({
    id,
    messages: before,
    resume: true, // takes up what is under way
    onData: (part) => part.type === 'data-progress' && setProgress(part.data),
    onError: (met) => {
      // The line was cut, and the run goes on: look again.
      if (met instanceof TypeError) setTimeout(() => void resumeStream(), AGAIN_MS);
    },
  });
  useEffect(() => {
    setProgress(undefined);
  }, [messages]);
  const isBusy = status === 'submitted' || status === 'streaming';
  const isUnanswered = !isBusy && messages.at(-1)?.role === 'user';
  return (
    <>
      <Log messages={messages} isBusy={isBusy} />
      <p className="note" role="status">
        {error && !(error instanceof TypeError) ? <span className="bad">{wordsOf(error)} </span> : null}
        {error instanceof TypeError ? 'The line was cut. Looking again …' : noteOf(status, progress)}
        {isUnanswered ? <button onClick={() => void regenerate()}>Send again</button> : null}
      </p>
      <Composer
        isBusy={isBusy}
        send={(text) => void sendMessage({ text })}
        // The run goes on; a reload shows what came of it.
        stop={() => void stop()}
      />
    </>
  );
}

function Log({ messages, isBusy }: { readonly messages: readonly ChatMessage[]; readonly isBusy: boolean }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In braces: some browsers return a promise, which React would take for a clean-up.
    end.current?.scrollIntoView({ block: 'end' });
  }, [messages]);
  return (
    // Busy while words come: a screen reader then reads the answer once, and not word by word.
    <div role="log" aria-live="polite" aria-busy={isBusy} aria-label="Messages" tabIndex={0}>
      {messages.length === 0 ? <p className="empty">Try: Refund A-1, $80 and A-2, $240.</p> : null}
      {messages.map((message) => (
        <article key={message.id} className={message.role}>
          <span className="unseen">{message.role === 'user' ? 'You:' : 'Agent:'}</span>
          <Answer message={message} />
        </article>
      ))}
      <div ref={end} />
    </div>
  );
}

interface ComposerProps {
  readonly isBusy: boolean;
  readonly send: (text: string) => void;
  readonly stop: () => void;
}

function Composer({ isBusy, send, stop }: ComposerProps) {
  const [text, setText] = useState('');
  const canSend = !isBusy && text.trim() !== '';
  const submit = (event: SubmitEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!canSend) return;
    send(text);
    setText('');
  };
  return (
    <form onSubmit={submit}>
      <label className="unseen" htmlFor="text">
        Message
      </label>
      <textarea
        id="text"
        rows={1}
        autoFocus
        placeholder="Refund A-1042, $240"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
        }}
      />
      {isBusy ? (
        <button type="button" onClick={stop}>
          Stop watching
        </button>
      ) : (
        <button type="submit" disabled={!canSend}>
          Send
        </button>
      )}
    </form>
  );
}

function noteOf(status: string, progress: ProgressData | undefined): string {
  if (progress?.is === 'again') return 'That did not work; it is tried again.';
  if (progress?.is === 'waits') return `Waits until ${new Date(progress.until).toLocaleTimeString()}.`;
  return status === 'submitted' ? 'Sent.' : '';
}

/** Our handler says what is wrong as JSON. */
function wordsOf({ message }: Error): string {
  try {
    return (JSON.parse(message) as { readonly error: string }).error;
  } catch {
    return message;
  }
}

function Page() {
  const [loaded, setLoaded] = useState<{ readonly id: string; readonly messages: ChatMessage[] }>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const load = async () => {
      const id = chatOfAddress();
      const response = await fetch(`/api/chat/${encodeURIComponent(id)}`);
      const { messages } = (await response.json()) as { messages: ChatMessage[] };
      setLoaded({ id, messages });
    };
    load().catch(() => setFailed(true));
  }, []);
  return (
    <main>
      <header>
        <h1>Refunds</h1>
        <p>Close this page whenever you like: what was begun goes on, and is here when you come back.</p>
      </header>
      {loaded ? <Chat id={loaded.id} before={loaded.messages} /> : null}
      {failed ? <p className="bad">The chat could not be loaded. Reload the page to try again.</p> : null}
    </main>
  );
}

const root = document.getElementById('page');
if (root) createRoot(root).render(<Page />);
