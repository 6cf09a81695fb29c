/** Parts of Ballast without which nothing that is under way goes on. */
export const downParts = ['worker', 'temporal'] as const;
export type DownPart = (typeof downParts)[number];

/** Around the time since when it is down. No name of anybody's things: whoever sees that something waits may read it. */
export const downPartWords: Record<DownPart, { before: string; after: string }> = {
  worker: {
    before: 'The worker has been down since ',
    after:
      ': nothing that is under way goes on until it is back. Whoever runs Ballast finds out why with `ballast doctor`.',
  },
  temporal: {
    before: 'Temporal has not answered since ',
    after:
      ': nothing that is under way goes on until it does. Whoever runs Ballast finds out why with `ballast doctor`.',
  },
};
