import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Checkbox, Select } from '../../components/forms/form.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { Timeline } from '../../components/timeline.tsx';
import { useTimes } from '../../components/times/zone.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { HistoryStep, type Step } from './history-step.tsx';
import { askAgainAfter } from './moving.ts';

const route = getRouteApi('/$organization/workflows/$workflow');

/** The history of a workflow as steps in words, grouped by run where there is more than one. */
export function History({ actor }: { actor: Answers['workflows']['get'] }) {
  const { trpc } = usePlane();
  const { order = 'oldest', raw = false } = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/workflows/$workflow' });
  const steps = usePages(trpc.workflows.history, {
    path: { id: actor.id },
    query: { order, raw },
    every: () => askAgainAfter(actor),
  });
  const show = (next: { newest: boolean; raw: boolean }) =>
    void navigate({
      search: { ...(next.newest ? { order: 'newest' as const } : {}), ...(next.raw ? { raw: true as const } : {}) },
      replace: true,
    });
  const newest = order === 'newest';
  const { dayName } = useTimes();

  return (
    <Section
      title="History"
      about={actor.historySource === 'archive' ? 'Finished; its history is read from the archive.' : undefined}
      actions={
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Checkbox label="Raw events" checked={raw} onChange={(checked) => show({ newest, raw: checked })} />
          <div className="w-36">
            <Select
              label="Order"
              value={order}
              onChange={(value) => show({ newest: value === 'newest', raw })}
              choices={[
                { value: 'oldest', label: 'Oldest first' },
                { value: 'newest', label: 'Newest first' },
              ]}
            />
          </div>
        </div>
      }
    >
      <LoadedPages
        pages={steps}
        empty={<EmptyState title="No steps yet">The first step is shown here when a worker starts it.</EmptyState>}
      >
        {(items) => (
          <div className="divide-y divide-line">
            {parts(items, (actor.runs ?? 1) > 1, dayName).map(({ name, steps: ofPart }) => (
              <section key={ofPart[0]?.id}>
                <h3 className="border-line border-b bg-ground px-4 py-2 font-medium text-soft text-xs">{name}</h3>
                <Timeline label={name}>
                  {ofPart.map((step) => (
                    <HistoryStep key={step.id} step={step} />
                  ))}
                </Timeline>
              </section>
            ))}
          </div>
        )}
      </LoadedPages>
    </Section>
  );
}

/** Steps of the same run and day belong together. */
function parts(
  items: readonly Step[],
  tellRuns: boolean,
  dayName: (at: string) => string,
): { name: string; steps: Step[] }[] {
  const found: { name: string; steps: Step[] }[] = [];
  for (const step of items) {
    const day = dayName(step.startedAt);
    const name = tellRuns ? `Run ${step.run} · ${day}` : day;
    const last = found.at(-1);
    if (last?.name === name) last.steps.push(step);
    else found.push({ name, steps: [step] });
  }
  return found;
}
