import { useSyncExternalStore } from 'react';
import { keep, kept } from '../../../components/browser/kept.ts';
import { useSession } from '../../../control-plane/session.ts';

/** Whether this browser shows notifications: `blocked` by the browser itself, `absent` where it has none. */
export type Allowed = 'on' | 'off' | 'blocked' | 'absent';

const prefix = 'ballast.notify-in-browser.';
const listeners = new Set<() => void>();

/** Of one person: browsers are shared, and the permission belongs to all who use one. */
export function useAllowed(): Allowed {
  const person = useSession()?.user.id ?? '';
  return useSyncExternalStore(subscribe, () => allowed(person));
}

export function usePermission(): { allow: () => Promise<void>; stop: () => void } {
  const person = useSession()?.user.id ?? '';
  return {
    allow: async () => {
      if ((await Notification.requestPermission()) === 'granted') keep(prefix + person, 'on');
      inform();
    },
    stop: () => {
      keep(prefix + person, undefined);
      inform();
    },
  };
}

/** This browser has none after all. */
export function noteAbsent(): void {
  canConstruct = false;
  inform();
}

function allowed(person: string): Allowed {
  if (!isThere()) return 'absent';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && kept(prefix + person) === 'on' ? 'on' : 'off';
}

let canConstruct: boolean | undefined;

/** Browsers of phones have the name, and refuse to construct one. Without a permission nothing is shown by trying. */
function isThere(): boolean {
  if (!('Notification' in window) || !('locks' in navigator)) return false;
  if (canConstruct === undefined && Notification.permission !== 'granted') {
    try {
      new Notification('');
      canConstruct = true;
    } catch {
      canConstruct = false;
    }
  }
  return canConstruct !== false;
}

function inform(): void {
  for (const listener of listeners) listener();
}

/** Other tabs switch it, too, and the browser's own settings. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const over = new AbortController();
  const { signal } = over;
  window.addEventListener('storage', listener, { signal });
  window.addEventListener('focus', listener, { signal });
  return () => {
    listeners.delete(listener);
    over.abort();
  };
}
