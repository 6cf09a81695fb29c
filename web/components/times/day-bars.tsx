import { classes } from '../style.ts';
import { dateText } from './durations.ts';

export interface Day {
  /** As in 2026-11-23. */
  date: string;
  count: number;
}

/** Numbers of days beside each other, as bars. The sentence beneath says the same to those who do not see them. */
export function DayBars({ days, noun }: { days: readonly Day[]; noun: { one: string; other: string } }) {
  const most = Math.max(0, ...days.map(({ count }) => count));
  const said = ({ date, count }: Day) => `${dateText(date)}: ${count} ${count === 1 ? noun.one : noun.other}`;
  return (
    <figure className="flex flex-col gap-2 p-4">
      <div
        aria-hidden="true"
        className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-1 text-faint text-xs tabular-nums"
      >
        <div className="flex flex-col justify-between text-right leading-none">
          <span>{most}</span>
          <span>0</span>
        </div>
        <div className="flex h-16 items-end gap-px border-line border-b">
          {days.map((day) => (
            <span key={day.date} title={said(day)} className="group flex h-full min-w-0 flex-1 items-end">
              <span
                className={classes('w-full rounded-t-sm', day.count === 0 ? 'h-0' : 'bg-live-mark group-hover:bg-live')}
                style={day.count === 0 ? undefined : { height: `${Math.max(8, (day.count / most) * 100)}%` }}
              />
            </span>
          ))}
        </div>
        <div className="col-start-2 flex justify-between">
          {marksOf(days).map((date) => (
            <span key={date}>{dateText(date)}</span>
          ))}
        </div>
      </div>
      <figcaption className="text-pretty text-soft text-sm">{summaryOf(days, most, noun)}</figcaption>
    </figure>
  );
}

/** The first day, one in the middle, and the last. */
function marksOf(days: readonly Day[]): string[] {
  return [days[0], days[Math.floor(days.length / 2)], days.at(-1)].flatMap((day) => day?.date ?? []);
}

function summaryOf(days: readonly Day[], most: number, noun: { one: string; other: string }): string {
  const sum = days.reduce((total, { count }) => total + count, 0);
  const whole = `${sum === 0 ? 'No' : sum} ${sum === 1 ? noun.one : noun.other} in ${days.length} days (UTC)`;
  const busiest = days.findLast(({ count }) => count === most);
  return most < 2 || busiest === undefined ? `${whole}.` : `${whole}, most on ${dateText(busiest.date)}: ${most}.`;
}
