import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { SearchField } from '../../../components/filter-bar/search-field.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Checkbox, Select } from '../../../components/forms/form.tsx';
import { LoadingRows } from '../../../components/loading.tsx';
import { Section } from '../../../components/page.tsx';
import { EmptyState, ErrorState } from '../../../components/states.tsx';
import { End } from '../../../components/table/end.tsx';
import { useVirtualRows } from '../../../components/table/virtual-rows.ts';
import { useNow } from '../../../components/times/now.ts';
import { useTimes } from '../../../components/times/zone.ts';
import { usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { type ActorDetail, askAgainAfter } from '../actor-words.ts';
import { HistoryStep, type Step } from './history-step.tsx';

interface HistorySearch {
  step?: string;
  failures?: true;
  q?: string;
  order?: 'newest' | 'oldest';
  raw?: true;
}

interface ChoicesProps {
  search: HistorySearch;
  order: 'newest' | 'oldest';
  onChange: (search: HistorySearch) => void;
}

/** Which steps of a history are shown, and in which order; all of it is in the address. */
function Choices({ search, order, onChange }: ChoicesProps) {
  const { failures, raw, order: _, q = '', ...rest } = search;
  const flags = { ...(failures && { failures }), ...(raw && { raw }) };
  const kept = { ...rest, ...flags, ...(search.order && { order: search.order }), ...(q === '' ? {} : { q }) };
  const without = <Name extends keyof HistorySearch>(name: Name) => {
    const { [name]: gone, ...others } = kept;
    return others;
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Checkbox
        label="Failures only"
        checked={failures === true}
        onChange={(checked) => onChange(checked ? { ...kept, failures: true } : without('failures'))}
      />
      <Checkbox
        label="Raw events"
        checked={raw === true}
        onChange={(checked) => onChange(checked ? { ...kept, raw: true } : without('raw'))}
      />
      <SearchField
        label="Search the history"
        placeholder="Search the history"
        value={q}
        onChange={(text) => onChange(text === '' ? without('q') : { ...kept, q: text })}
      />
      <div className="w-36">
        <Select
          label="Order"
          value={order}
          onChange={(value) => onChange({ ...kept, order: value === 'newest' ? 'newest' : 'oldest' })}
          choices={[
            { value: 'oldest', label: 'Oldest first' },
            { value: 'newest', label: 'Newest first' },
          ]}
        />
      </div>
    </div>
  );
}

const route = getRouteApi('/$organization/workflows/$workflow');

/** The history of a workflow as steps in words: newest first while it lives, from its beginning once it has finished. */
export function History({ actor }: { actor: ActorDetail }) {
  const { trpc } = usePlane();
  const search: HistorySearch = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/workflows/$workflow' });
  const { order = actor.open ? 'newest' : 'oldest', raw = false, failures = false, q = '', step } = search;
  // A link to a step begins there; links pressed afterwards only mark theirs.
  const [begin, setBegin] = useState(step);
  const steps = usePages(trpc.workflows.history, {
    path: { id: actor.id },
    query: {
      ...{ order, raw, limit: 100 },
      failures: failures || undefined,
      q: q || undefined,
      step: begin !== undefined && isStep.test(begin) ? begin : undefined,
    },
    every: () => askAgainAfter(actor),
  });
  const show = (next: HistorySearch) => {
    setBegin(undefined);
    void navigate({ search: next, replace: true });
  };
  const { items, query } = steps;
  return (
    <Section
      title="History"
      about={actor.historySource === 'archive' ? 'Finished; its history is read from the archive.' : undefined}
      actions={<Choices search={search} order={order} onChange={show} />}
    >
      {begin !== undefined && (
        <p className="flex items-center justify-between gap-3 border-line border-b bg-ground px-4 py-2 text-soft text-sm">
          Shown from around the linked step.
          <Button look="quiet" small onClick={() => show(search)}>
            Show all steps
          </Button>
        </p>
      )}
      {items === undefined &&
        (query.isError ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <LoadingRows />)}
      {items?.length === 0 &&
        (failures || q !== '' ? (
          <EmptyState title={failures && q === '' ? 'No failures' : 'No matching steps'} />
        ) : (
          <EmptyState title="No steps yet">The first step is shown here when a worker starts it.</EmptyState>
        ))}
      {items !== undefined && items.length > 0 && <StepList actor={actor} steps={items} linked={step} />}
      <End pages={steps} />
    </Section>
  );
}

const isStep = /^[1-9]\d{0,8}-[1-9]\d{0,8}$/;

type Line = { id: string; heading: string } | { id: string; step: Step };

/** Steps under the days and runs that they belong to; of a long history, those near the window exist. */
function StepList({
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
