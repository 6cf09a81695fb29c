import { useSyncExternalStore } from 'react';

/** A value outside of components that those who `use` it follow. */
export function watched<Value>(first: Value) {
  let value = first;
  const followers = new Set<() => void>();
  const follow = (follower: () => void) => {
    followers.add(follower);
    return () => followers.delete(follower);
  };
  const now = () => value;
  return {
    now,
    set: (next: Value) => {
      value = next;
      for (const follower of followers) follower();
    },
    use: () => useSyncExternalStore(follow, now, now),
  };
}
