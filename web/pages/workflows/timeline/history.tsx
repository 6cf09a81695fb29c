import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../components/forms/button.tsx';
import { LoadingRows } from '../../../components/loading.tsx';
import { Section } from '../../../components/page.tsx';
import { EmptyState, ErrorState } from '../../../components/states.tsx';
import { End } from '../../../components/table/end.tsx';
import { usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { ActorDetail } from '../actor-words.ts';
import { askAgainAfter } from '../moving.ts';
import { Choices, type HistorySearch } from './choices.tsx';
import { StepList } from './step-list.tsx';

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
      ...(failures ? { failures } : {}),
      ...(q === '' ? {} : { q }),
      ...(begin !== undefined && isStep.test(begin) ? { step: begin } : {}),
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
