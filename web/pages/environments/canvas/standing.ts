import { createContext, use, useSyncExternalStore } from 'react';

/** Which box keys belong to, and which one is open: known to all boxes, of which each follows only what concerns it. */
export class Standing {
  current = '';
  open = '';
  /** The box that takes the focus as soon as it is drawn. */
  focus = '';
  /** Follows what was chosen; set by the canvas. */
  onOpen: (id: string) => void = () => undefined;
  readonly #followers = new Set<() => void>();

  readonly follow = (follower: () => void): (() => void) => {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  };

  set(to: Partial<Pick<Standing, 'current' | 'open' | 'focus'>>): void {
    Object.assign(this, to);
    for (const follower of this.#followers) follower();
  }
}

export const StandingContext = createContext(new Standing());

export function useStanding(id: string) {
  const standing = use(StandingContext);
  const has = (part: 'current' | 'open' | 'focus') => () => standing[part] === id;
  return {
    current: useSyncExternalStore(standing.follow, has('current')),
    open: useSyncExternalStore(standing.follow, has('open')),
    focus: useSyncExternalStore(standing.follow, has('focus')),
    onFocus: () => standing.set({ current: id, focus: '' }),
    onOpen: () => standing.onOpen(id),
  };
}
