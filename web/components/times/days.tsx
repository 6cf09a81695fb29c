import type { ReactNode } from 'react';
import { useNow } from './now.ts';
import { useTimes } from './zone.ts';

/** Items grouped under the day on which they happened, in the order given. */
export function Days<Item extends { at: string }>({
  items,
  children,
}: {
  items: readonly Item[];
  children: (items: Item[], day: string) => ReactNode;
}) {
  useNow();
  const { dayName } = useTimes();
  return (
    <div className="divide-y divide-line">
      {byDay(items, dayName).map(([name, ofDay]) => (
        <section key={name}>
          <h2 className="border-line border-b bg-ground px-4 py-2 font-medium text-soft text-xs">{name}</h2>
          {children(ofDay, name)}
        </section>
      ))}
    </div>
  );
}

export function byDay<Item extends { at: string }>(
  items: readonly Item[],
  dayName: (at: string) => string,
): [name: string, items: Item[]][] {
  const days: [string, Item[]][] = [];
  for (const item of items) {
    const name = dayName(item.at);
    const last = days.at(-1);
    if (last?.[0] === name) last[1].push(item);
    else days.push([name, [item]]);
  }
  return days;
}
