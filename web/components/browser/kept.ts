/** A text that this browser keeps. Storage may be blocked: then nothing is there, and all applies until the page is closed. */
export function kept(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined: keeps it no longer. */
export function keep(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage is blocked.
  }
}

/** A list of things that was kept; anybody may have written it. */
export function keptList(key: string): unknown[] {
  try {
    const stored: unknown = JSON.parse(kept(key) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}
