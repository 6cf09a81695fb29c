import { useState } from 'react';
import type { LogChannel } from '../../../components/log/source.ts';

/** One for each instance that was seen: one that was replaced keeps its lines on screen. */
export function useChannels(instances: readonly { id: string; process: string }[] | undefined): readonly LogChannel[] {
  const [seen, setSeen] = useState<readonly LogChannel[]>([]);
  if (instances === undefined) return seen;
  const now = instances.map(({ id, process }) => ({ id, group: process, ended: false }));
  const left = seen
    .filter(({ id }) => !now.some((one) => one.id === id))
    .map((channel) => ({ ...channel, ended: true }));
  // Only the first few are read: those that live.
  const all = [...now, ...left];
  if (JSON.stringify(all) !== JSON.stringify(seen)) setSeen(all);
  return all;
}
