import { CheckIcon } from '@primer/octicons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { classes, type Tone } from '../../components/style.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay, useMembership } from '../../control-plane/session.ts';
import { type Attention, attentionOf } from './attention.ts';

type Clusters = UseQueryResult<Answers['clusters']['list'], unknown>;

export function NeedsAttention({ clusters }: { clusters: Clusters }) {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const mayUpdate = useMay('admin');
  const events = useQuery(trpc.clusters.organizationEvents.queryOptions({ query: { limit: 50 } }));
  const stuck = useQuery(
    // The event stream does not report workflows that become stuck by time alone.
    trpc.workflows.list.queryOptions(
      { query: { stuck: true, limit: 20 } },
      { enabled: mayUpdate, refetchInterval: 60_000 },
    ),
  );
  return (
    <Section title="Needs attention">
      <Loaded query={clusters}>
        {({ items }) => (
          <List
            items={attentionOf({
              organization,
              clusters: items,
              events: events.data?.items ?? [],
              stuck: (mayUpdate ? stuck.data?.items : undefined) ?? [],
              mayUpdate,
            })}
            // "All clear" is shown only when all data is loaded.
            known={events.data !== undefined && (!mayUpdate || stuck.data !== undefined)}
            failed={events.isError || (mayUpdate && stuck.isError)}
          />
        )}
      </Loaded>
    </Section>
  );
}

const marks: Record<Tone, string> = {
  neutral: 'bg-faint',
  good: 'bg-good-mark',
  attention: 'bg-attention-mark',
  fault: 'bg-fault',
  live: 'bg-live-mark',
};

function List({ items, known, failed }: { items: readonly Attention[]; known: boolean; failed: boolean }) {
  if (items.length === 0) {
    return (
      <p className="flex min-h-12 items-center gap-2.5 px-4 py-3 text-sm">
        {known ? (
          <>
            <CheckIcon className="text-good" />
            All clear.
          </>
        ) : (
          <span className="text-soft">
            {failed ? 'Not everything could be loaded, so problems may be missing here.' : ' '}
          </span>
        )}
      </p>
    );
  }
  return (
    <ul aria-label="Needs attention" className="divide-y divide-line">
      {items.map(({ key, tone, title, detail, go, link }) => (
        <li key={key} className="flex items-start gap-3 px-4 py-3 max-sm:flex-wrap">
          <span aria-hidden="true" className={classes('mt-[7px] size-2 shrink-0 rounded-full', marks[tone])} />
          <div className="min-w-0 flex-1 basis-56">
            <p className="break-words font-medium">{title}</p>
            {detail !== '' && <p className="line-clamp-3 text-pretty break-words text-soft text-sm">{detail}</p>}
          </div>
          <div className="max-sm:ml-5">
            <ButtonLink small {...link}>
              {go}
            </ButtonLink>
          </div>
        </li>
      ))}
    </ul>
  );
}
