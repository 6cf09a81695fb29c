import type { Hint } from './event-stream.ts';
import { type StreamListener as HeldListener, HeldStream } from './held-stream.ts';

/** Longer than a second's tick of a tab that is awake; timers of hidden tabs come once a minute. */
const sleptMillis = 5_000;

/**
 * Calls back when this tab is looked at after it may have missed something: the machine slept, the browser held the tab
 * still, or the network was away. Returns how to stop that.
 */
function onWaking(wake: () => void): () => void {
  const over = new AbortController();
  const { signal } = over;
  let tickedAt = Date.now();
  let slept = false;
  const look = () => {
    if (Date.now() - tickedAt > sleptMillis) slept = true;
    tickedAt = Date.now();
    if (!slept || document.visibilityState !== 'visible') return;
    slept = false;
    wake();
  };
  const lookAfterSleep = () => {
    slept = true;
    look();
  };
  const ticking = setInterval(look, 1_000);
  document.addEventListener('visibilitychange', look, { signal });
  document.addEventListener('resume', lookAfterSleep, { signal });
  window.addEventListener('online', lookAfterSleep, { signal });
  window.addEventListener('pageshow', ({ persisted }) => persisted && lookAfterSleep(), { signal });
  return () => {
    clearInterval(ticking);
    over.abort();
  };
}

type Message =
  | { say: 'change'; hint: Hint }
  | { say: 'resync' }
  | { say: 'alive' }
  | { say: 'refused' }
  | { say: 'here' }
  | { say: 'anybody there?' };

interface StreamListener extends Omit<HeldListener, 'alive'> {
  /** Whether no sign of life of the stream has come for longer than its heartbeat; told when that changes. */
  still(still: boolean): void;
}

const tickMillis = 250;
/** After this long without a heartbeat the leader is asked, and then people are told. */
const askTicks = 11;
const stillTicks = 17;
/** Ten tabs that open at once answer late: a leader that is only busy keeps its lead. */
const answerMillis = 2_500;

/**
 * One tab of all that show an organization holds its event stream and tells the others. A lock decides which: when that tab
 * is closed or dies, the browser gives the lock to another one. From a tab that is held still by the browser, and so keeps the
 * lock but says nothing, a tab that is looked at takes it. The first stream of a tab begins at the position before which
 * nothing was asked for. Returns how to stop following.
 */
export function followEvents(
  organizationId: string,
  position: string | undefined,
  listener: StreamListener,
): () => void {
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
  /** Counted instead of timed: a tab that is held still hears nothing and ticks as little. */
  let silentTicks = 0;
  let still = false;

  const setStill = (now: boolean): void => {
    if (still === now || over) return;
    still = now;
    listener.still(now);
  };
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
      post({ say: 'here' });
      return;
    }
    heardAt = Date.now();
    if (message.say !== 'here') {
      silentTicks = 0;
      setStill(false);
    }
    if (message.say === 'change') listener.change(message.hint);
    else if (message.say === 'resync') listener.resync();
    else if (message.say === 'refused') listener.refused();
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data);

  /** Waits for the lock, or takes it, and leads until it is lost. */
  async function stand(): Promise<void> {
    while (!over) {
      waiting = new AbortController();
      if (taking) position = undefined;
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
      // A later lead has missed what was told between the last leader's end and its own beginning.
      const after = position;
      position = undefined;
      const holding = new HeldStream(organizationId, after, {
        change: (hint) => tell({ say: 'change', hint }),
        resync: () => tell({ say: 'resync' }),
        alive: () => tell({ say: 'alive' }),
        refused: () => tell({ say: 'refused' }),
      });
      stream = holding;
      leave = () => {
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
    silentTicks += 1;
    if (silentTicks >= stillTicks) setStill(true);
    if (silentTicks % askTicks === 0 && document.visibilityState === 'visible') ask();
  }, tickMillis);
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
