import { useLayoutEffect, useMemo, useRef } from 'react';
import { useVirtualRows } from '../../../components/table/virtual-rows.ts';
import { useNow } from '../../../components/times/now.ts';
import { useTimes } from '../../../components/times/zone.ts';
import type { ActorDetail } from '../actor-words.ts';
import { HistoryStep, type Step } from './history-step.tsx';

type Line = { id: string; heading: string } | { id: string; step: Step };

/** Steps under the days and runs that they belong to; of a long history, those near the window exist. */
export function StepList({
  actor,
  steps,
  linked,
}: {
  actor: ActorDetail;
  steps: readonly Step[];
  linked: string | undefined;
}) {
  useNow();
  const { dayName } = useTimes();
  const runs = (actor.runs ?? 1) > 1;
  const lines = useMemo(() => linesOf(steps, runs, dayName), [steps, runs, dayName]);
  const ids = useMemo(() => lines.map(({ id }) => id), [lines]);
  const body = useRef<HTMLOListElement>(null);
  const mark = linked === undefined ? undefined : steps.find((step) => holds(step, linked))?.id;
  const { rows, rest, measure } = useVirtualRows(ids, body, mark);
  useLayoutEffect(() => {
    if (mark === undefined) return;
    body.current?.querySelector(`[data-id="${mark}"]`)?.scrollIntoView({ block: 'center' });
  }, [mark]);
  const whole = {
    first: Date.parse(actor.createdAt),
    last: actor.finishedAt === undefined ? Date.now() : Date.parse(actor.finishedAt),
  };
  return (
    <ol ref={body} aria-label="Steps" style={{ paddingBottom: rest }}>
      {rows.map(({ row, gap }) => {
        const line = lines[row];
        if (line === undefined) return null;
        const place = { 'data-id': line.id, ref: measure, style: gap === 0 ? undefined : { marginTop: gap } };
        if ('heading' in line) {
          return (
            <li
              key={line.id}
              {...place}
              className="border-line border-b bg-ground px-4 py-2 font-medium text-soft text-xs"
            >
              {line.heading}
            </li>
          );
        }
        return (
          <li
            key={line.id}
            {...place}
            id={`step-${line.id}`}
            aria-current={line.id === mark ? 'true' : undefined}
            className={lineLook}
          >
            <HistoryStep step={line.step} whole={actor.lives === 'once' ? whole : undefined} />
          </li>
        );
      })}
    </ol>
  );
}

const lineLook = 'border-line border-b last:border-b-0 aria-[current=true]:bg-live-ground';

/** A link may name an event that is told within another step by now. */
function holds({ id, run, events }: Step, linked: string): boolean {
  if (id === linked) return true;
  return events?.some((event) => `${run}-${event.id}` === linked) ?? false;
}

function linesOf(steps: readonly Step[], runs: boolean, dayName: (at: string) => string): Line[] {
  const lines: Line[] = [];
  let before = '';
  for (const step of steps) {
    const day = dayName(step.startedAt);
    const heading = runs ? `Run ${step.run} · ${day}` : day;
    if (heading !== before) lines.push({ id: `before-${step.id}`, heading });
    before = heading;
    lines.push({ id: step.id, step });
  }
  return lines;
}
