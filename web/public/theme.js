// The session is asked for while the scripts are still on their way: nothing can be shown before it is there.
globalThis.earlySession = fetch('/trpc/auth.session', {
  headers: { 'x-svc-csrf': '1' },
  signal: AbortSignal.timeout(45_000),
});
globalThis.earlySession.catch(() => {});
// A choice that is not one of these, or storage that is closed, leaves it to the system.
try {
  const chosen = localStorage.getItem('ballast.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {}
