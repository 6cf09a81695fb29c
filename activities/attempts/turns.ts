/**
 * Who may attempt to reach a channel now, in one worker. An attempt at an address that does not answer lasts ten seconds and takes
 * one of the worker's few activities: a channel has only some at a time, a failing or slow one has one, and all of these together
 * leave half of the room to those that work.
 */
export interface Turns {
  /** A turn, which must be given back, or when to ask again. */
  take(channelId: string, failing: boolean): { giveBack(): void } | { waitMillis: number };
}

/** Those who come back are spread over time: at this pace turns become free, or a bit more slowly. */
const paceMillis = { working: 100, failing: 2_500 };
const longestWaitMillis = 300_000;
/** One that takes longer costs as much as one that fails, even where it arrives. */
const slowMillis = 2_000;

/** `activities`: the most that the worker runs at once; attempts leave more than half of them to all else. */
export function attemptTurns(activities: number, now: () => number = Date.now): Turns {
  const most = { inAll: Math.max(2, Math.floor(activities * 0.4)), ofChannel: 4 };
  const mostOfFailing = Math.max(1, Math.floor(most.inAll / 2));
  const taken = new Map<string, number>();
  /** By channel: when the last of those who were sent away comes back. */
  const promised = new Map<string, number>();
  /** Channels whose last attempt was slow. */
  const slow = new Set<string>();
  let [inAll, ofFailing] = [0, 0];

  function later(channelId: string, failing: boolean): { waitMillis: number } {
    const pace = failing ? paceMillis.failing : paceMillis.working;
    const comesBack = Math.min(Math.max(promised.get(channelId) ?? 0, now()) + pace, now() + longestWaitMillis);
    promised.set(channelId, comesBack);
    return { waitMillis: Math.ceil(comesBack - now()) };
  }

  return {
    take(channelId, hasFailed) {
      const failing = hasFailed || slow.has(channelId);
      const began = now();
      const own = taken.get(channelId) ?? 0;
      const isFull =
        own >= (failing ? 1 : most.ofChannel) || inAll >= most.inAll || (failing && ofFailing >= mostOfFailing);
      if (isFull) return later(channelId, failing);
      taken.set(channelId, own + 1);
      inAll += 1;
      if (failing) ofFailing += 1;
      return {
        giveBack() {
          const left = (taken.get(channelId) ?? 1) - 1;
          if (left > 0) taken.set(channelId, left);
          else taken.delete(channelId);
          inAll -= 1;
          if (failing) ofFailing -= 1;
          if (now() - began > slowMillis) slow.add(channelId);
          else slow.delete(channelId);
          if ((promised.get(channelId) ?? 0) <= now()) promised.delete(channelId);
        },
      };
    },
  };
}
