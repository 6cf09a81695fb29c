import type { Hint } from './event-stream.ts';
import { HeldStream, type StreamListener } from './held-stream.ts';
import { onWaking } from './waking.ts';

type Message =
  | { say: 'change'; hint: Hint }
  | { say: 'resync' }
  | { say: 'connected'; connected: boolean }
  | { say: 'refused' }
  | { say: 'here' }
  | { say: 'anybody there?' };

const hereMillis = 10_000;
/** A leader silent for this long is asked whether it is alive. */
const silentMillis = 25_000;
const answerMillis = 1_200;

/**
 * One tab of all that show an organization holds its event stream and tells the others. A lock decides which: when that tab
 * is closed or dies, the browser gives the lock to another one. From a tab that is held still by the browser, and so keeps the
 * lock but says nothing, a tab that is looked at takes it. Returns how to stop following.
 */
export function followEvents(organizationId: string, listener: StreamListener): () => void {
  const name = `ballast-events-${organizationId}`;
  const channel = new BroadcastChannel(name);
  let over = false;
  /** This tab leads while it holds the stream. */
  let stream: HeldStream | undefined;
  let waiting = new AbortController();
  let taking = false;
  let leave: () => void = () => undefined;
  let heardAt = Date.now();
  let answer: ReturnType<typeof setTimeout> | undefined;

  const post = (message: Message): void => {
    if (!over) channel.postMessage(message);
  };
  const tell = (message: Message): void => {
    post(message);
    hear(message);
  };
  function hear(message: Message): void {
    if (over) return;
    if (message.say === 'anybody there?') {
      if (stream === undefined) return;
      stream.check();
      post({ say: 'connected', connected: stream.connected });
      return;
    }
    heardAt = Date.now();
    if (message.say === 'change') listener.change(message.hint);
    else if (message.say === 'resync') listener.resync();
    else if (message.say === 'refused') listener.refused();
    else if (message.say === 'connected') listener.connected(message.connected);
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data);

  /** Waits for the lock, or takes it, and leads until it is lost. */
  async function stand(): Promise<void> {
    while (!over) {
      waiting = new AbortController();
      const options: LockOptions = taking ? { steal: true } : { signal: waiting.signal };
      taking = false;
      let failed = false;
      await navigator.locks.request(name, options, lead).catch((error: unknown) => {
        // Aborted: the lock was taken from this tab, or this tab no longer waits for it.
        failed = !(error instanceof DOMException && error.name === 'AbortError');
      });
      leave();
      if (failed) await new Promise((resolve) => setTimeout(resolve, answerMillis));
    }
  }

  function lead(): Promise<void> {
    return new Promise((resolve) => {
      if (over) return resolve();
      const holding = new HeldStream(organizationId, {
        change: (hint) => tell({ say: 'change', hint }),
        resync: () => tell({ say: 'resync' }),
        connected: (connected) => tell({ say: 'connected', connected }),
        refused: () => tell({ say: 'refused' }),
      });
      stream = holding;
      const here = setInterval(() => post({ say: 'here' }), hereMillis);
      leave = () => {
        clearInterval(here);
        holding.end();
        stream = undefined;
        resolve();
      };
    });
  }

  function ask(): void {
    if (stream !== undefined) {
      stream.check();
      return;
    }
    const asked = Date.now();
    post({ say: 'anybody there?' });
    clearTimeout(answer);
    answer = setTimeout(() => {
      if (over || stream !== undefined || heardAt >= asked || document.visibilityState !== 'visible') return;
      taking = true;
      waiting.abort();
    }, answerMillis);
  }

  const stopWaking = onWaking(() => {
    listener.resync();
    ask();
  });
  const watch = setInterval(() => {
    const silent = stream === undefined && Date.now() - heardAt > silentMillis;
    if (silent && document.visibilityState === 'visible') ask();
  }, 5_000);
  void stand();
  ask();

  return () => {
    over = true;
    stopWaking();
    clearInterval(watch);
    clearTimeout(answer);
    waiting.abort();
    leave();
    channel.close();
  };
}
