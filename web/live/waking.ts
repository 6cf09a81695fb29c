/** Longer than a second's tick of a tab that is awake; timers of hidden tabs come once a minute. */
const sleptMillis = 5_000;

/**
 * Calls back when this tab is looked at after it may have missed something: the machine slept, the browser held the tab
 * still, or the network was away. Returns how to stop that.
 */
export function onWaking(wake: () => void): () => void {
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
