/** All that this browser has told so far; more than an inbox shows at once. */
const most = 200;

/**
 * Of these notifications the ones that no tab of this browser has taken yet: from now on they are this tab's. One that was
 * seen in a tab is taken, too.
 */
export async function claim(name: string, ids: readonly string[]): Promise<string[]> {
  return await navigator.locks.request(`${name}.claim`, () => {
    const taken = readTaken(name);
    const free = ids.filter((id) => !taken.includes(id));
    if (free.length > 0) writeTaken(name, [...taken, ...free].slice(-most));
    return free;
  });
}

function readTaken(name: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? '[]');
    return Array.isArray(stored) ? stored.map(String) : [];
  } catch {
    return [];
  }
}

function writeTaken(name: string, ids: readonly string[]): void {
  try {
    localStorage.setItem(name, JSON.stringify(ids));
  } catch {
    // Storage is blocked, and with it the switch that leads here.
  }
}

/** Says for as long as this tab is in sight that one is. Returns how to stop. */
export function holdSight(name: string): () => void {
  let leave: (() => void) | undefined;
  const look = () => {
    if (document.visibilityState !== 'visible') {
      leave?.();
      leave = undefined;
    } else if (leave === undefined) {
      const held = new Promise<void>((resolve) => {
        leave = resolve;
      });
      void navigator.locks.request(`${name}.sight`, { mode: 'shared' }, () => held);
    }
  };
  const over = new AbortController();
  document.addEventListener('visibilitychange', look, { signal: over.signal });
  look();
  return () => {
    over.abort();
    leave?.();
  };
}

/** Whether somebody looks at the organization in a tab of this browser. */
export async function isInSight(name: string): Promise<boolean> {
  if (document.visibilityState === 'visible') return true;
  return await navigator.locks.request(`${name}.sight`, { ifAvailable: true }, (lock) => lock === null);
}
