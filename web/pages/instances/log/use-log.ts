import { useEffect, useRef, useState } from 'react';
import type { LogChoice } from '../../../components/log/choice.ts';
import type { LogChannel } from '../../../components/log/source.ts';

/** The choice of a log's view. The address follows a moment after the last key. */
export function useLogChoice(search: LogChoice, keep: (choice: LogChoice) => void) {
  const [choice, setChoice] = useState(search);
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(later.current), []);
  const onChoice = (next: LogChoice) => {
    setChoice(next);
    clearTimeout(later.current);
    if (next.find === choice.find) keep(next);
    else later.current = setTimeout(() => keep(next), 400);
  };
  return { choice, onChoice };
}

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
