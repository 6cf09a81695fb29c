import { Section } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/usual-columns.tsx';
import { Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { type Channel, type Delivery, deliveryState } from './channel-words.ts';

/** What was sent to a channel, newest first. A row leads to the workflow, which tells of each attempt. */
export function Deliveries({ channel: { id, kind } }: { channel: Channel }) {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const pages = usePages(trpc.notificationChannels.deliveries, { path: { id }, query: { limit: 50 } });
  const isPager = kind === 'incident_pager';
  return (
    <Section title={isPager ? 'Incidents' : 'Deliveries'} about="Of the last 30 days, newest first.">
      <Table
        label={isPager ? 'Incidents' : 'Deliveries'}
        pages={pages}
        columns={columns}
        name={({ title }) => title}
        link={({ workflowId }) =>
          workflowId === undefined
            ? undefined
            : { to: '/$organization/workflows/$workflow', params: { organization, workflow: workflowId } }
        }
        empty={
          <EmptyState title={isPager ? 'No incidents yet' : 'Nothing was sent yet'}>
            {isPager
              ? 'A failed deployment in production and a lost cluster open one here.'
              : 'The next event that this channel gets is here, with each attempt to deliver it.'}
          </EmptyState>
        }
      />
    </Section>
  );
}

const columns: Column<Delivery>[] = [
  {
    label: 'Title',
    width: 'minmax(0, 3fr)',
    cell: ({ title, lastError }) => (
      <>
        <span className="font-medium">{title}</span>
        {lastError !== '' && (
          <span className="block text-pretty text-soft text-sm">
            <WithTimes text={lastError} />
          </span>
        )}
      </>
    ),
  },
  {
    label: 'State',
    width: '10rem',
    cell: (delivery) => {
      const { word, tone } = deliveryState(delivery);
      return (
        <>
          <span className="text-text">
            <Status tone={tone}>{word}</Status>
          </span>
          {delivery.nextAttemptAt !== undefined && (
            <span className="block">
              Next attempt <Time at={delivery.nextAttemptAt} />
            </span>
          )}
        </>
      );
    },
  },
  { label: 'Attempts', width: '5rem', cell: ({ attempts }) => attempts || '–', phone: 'labelled' },
  timeColumn('Created', ({ createdAt }) => createdAt, '–', '7rem'),
];
