import type { ReactNode } from 'react';
import { exactTime } from '../time.tsx';

const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Items grouped under the day on which they happened, in the order given. */
export function Days<Item extends { at: string }>({
  items,
  children,
}: {
  items: readonly Item[];
  children: (items: Item[], day: string) => ReactNode;
}) {
  return (
    <div className="divide-y divide-line">
      {byDay(items).map(([name, ofDay]) => (
        <section key={name}>
          <h2 className="border-line border-b bg-ground px-4 py-2 font-medium text-soft text-xs">{name}</h2>
          {children(ofDay, name)}
        </section>
      ))}
    </div>
  );
}

/** When on that day; all of it on hover. */
export function ClockTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap tabular-nums">
      {clock.format(new Date(at))}
    </time>
  );
}

function byDay<Item extends { at: string }>(items: readonly Item[]): [name: string, items: Item[]][] {
  const days: [string, Item[]][] = [];
  for (const item of items) {
    const name = dayName(new Date(item.at));
    const last = days.at(-1);
    if (last?.[0] === name) last[1].push(item);
    else days.push([name, [item]]);
  }
  return days;
}

export function dayName(at: Date): string {
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (at.toDateString() === today.toDateString()) return 'Today';
  if (at.toDateString() === yesterday.toDateString()) return 'Yesterday';
  return day.format(at);
}
