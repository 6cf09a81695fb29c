import { WorkflowIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/forms/button.tsx';
import { Checkbox, Select } from '../../components/forms/form.tsx';
import { Card, Page } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { durationText, Time } from '../../components/time.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { ActorStatus } from './actor-status.tsx';
import { type Actor, actorKinds, actorTitle, isKind, manyOf } from './actor-words.ts';

const route = getRouteApi('/$organization/workflows');

/** All workflows: stuck ones first, then running, then finished. */
export function WorkflowList() {
  const { trpc } = usePlane();
  const { kind: given, state, stuck } = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/workflows' });
  // The address is untrusted input.
  const kind = isKind(given) ? given : undefined;
  const filter = {
    ...(kind === undefined ? {} : { kind }),
    ...(state === undefined ? {} : { state }),
    ...(stuck === undefined ? {} : { stuck }),
  };
  const actors = usePages(trpc.workflows.list, {
    query: filter,
    // The event stream does not report workflows that become stuck by time alone.
    every: 60_000,
  });
  const narrow = (search: typeof filter) => void navigate({ search, replace: true });
  const without = <Key extends keyof typeof filter>(key: Key) => {
    const { [key]: _, ...rest } = filter;
    return rest;
  };

  return (
    <Page
      title="Workflows"
      about="Every cluster, every update of an agent and every deletion is a durable workflow with a history."
    >
      <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <legend className="sr-only">Show only</legend>
        <div className="w-56 max-sm:w-full">
          <Select
            label="Kind"
            value={kind ?? ''}
            onChange={(value) => narrow({ ...without('kind'), ...(isKind(value) ? { kind: value } : {}) })}
            choices={[
              { value: '', label: 'All kinds' },
              ...actorKinds.map((value) => ({ value, label: manyOf(value) })),
            ]}
          />
        </div>
        <div className="w-44 max-sm:w-full">
          <Select
            label="State"
            value={state ?? ''}
            onChange={(value) =>
              narrow({ ...without('state'), ...(value === 'open' || value === 'over' ? { state: value } : {}) })
            }
            choices={[
              { value: '', label: 'All' },
              { value: 'open', label: 'Running' },
              { value: 'over', label: 'Finished' },
            ]}
          />
        </div>
        <Checkbox
          label="Only stuck"
          checked={stuck === true}
          onChange={(checked) => narrow({ ...without('stuck'), ...(checked ? { stuck: true } : {}) })}
        />
      </fieldset>
      <Card>
        <LoadedPages
          pages={actors}
          empty={
            Object.keys(filter).length === 0 ? (
              <EmptyState icon={<WorkflowIcon />} title="No workflows yet">
                Clusters, updates of agents and deletions are listed here with their histories.
              </EmptyState>
            ) : (
              <EmptyState
                icon={<WorkflowIcon />}
                title={stuck === true ? 'Nothing is stuck' : 'No results'}
                action={<Button onClick={() => narrow({})}>Show all</Button>}
              />
            )
          }
        >
          {(items) =>
            groups(items).map(({ name, members }) => (
              <section key={name}>
                <h2 className="border-line border-b bg-ground px-4 py-2 font-medium text-soft text-xs [section+section>&]:border-t">
                  {name}
                </h2>
                <Rows label={name}>
                  {members.map((actor) => (
                    <ActorRow key={actor.id} actor={actor} />
                  ))}
                </Rows>
              </section>
            ))
          }
        </LoadedPages>
      </Card>
    </Page>
  );
}

function ActorRow({ actor }: { actor: Actor }) {
  const { slug: organization } = useMembership();
  const why = actor.blocker || actor.message;
  return (
    <Row
      title={actorTitle(actor)}
      link={{ to: '/$organization/workflows/$workflow', params: { organization, workflow: actor.id } }}
      badges={actor.stuck && <Badge tone="attention">stuck</Badge>}
      {...(why === '' ? {} : { detail: why })}
      facts={
        <>
          <ActorStatus actor={actor} />
          <span className="w-36 text-right tabular-nums max-sm:w-auto">
            {actor.finishedAt === undefined ? (
              <>
                started <Time at={actor.createdAt} />
              </>
            ) : (
              `took ${durationText(Date.parse(actor.finishedAt) - Date.parse(actor.createdAt))}`
            )}
          </span>
        </>
      }
    />
  );
}

function groups(items: readonly Actor[]): { name: string; members: Actor[] }[] {
  return [
    { name: 'Stuck', members: items.filter(({ stuck }) => stuck) },
    { name: 'Running', members: items.filter(({ stuck, open }) => open && !stuck) },
    { name: 'Finished', members: items.filter(({ open }) => !open) },
  ].filter(({ members }) => members.length > 0);
}
