import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import type { Tone } from '../../components/style.ts';
import { Timeline, TimelineItem } from '../../components/timeline.tsx';
import { Time } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay, useMembership } from '../../control-plane/session.ts';
import { auditSentence } from '../audit-log/audit-words.ts';
import type { ListedCluster } from '../clusters/cluster-status.tsx';
import { eventWords } from '../events/event-words.ts';

const most = 10;

interface Change {
  id: string;
  at: string;
  tone: Tone;
  title: string;
  detail: string;
}

/** Events of the clusters and, for administrators, the audit log. */
export function Lately({ clusters = [] }: { clusters: readonly ListedCluster[] | undefined }) {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const mayAudit = useMay('admin');
  const events = useQuery(trpc.clusters.organizationEvents.queryOptions({ query: { limit: 50 } }));
  const records = useQuery(trpc.auditLog.list.queryOptions({ query: { limit: most } }, { enabled: mayAudit }));
  const names = new Map(clusters.map(({ id, name }) => [id, name]));
  return (
    <Section
      title="Recent changes"
      actions={
        mayAudit && (
          <Link
            to="/$organization/audit-log"
            params={{ organization }}
            className="rounded-sm text-soft text-sm hover:text-text"
          >
            Audit log
          </Link>
        )
      }
    >
      <Loaded query={events}>
        {({ items }) => {
          const done = (mayAudit ? records.data?.items : undefined) ?? [];
          if (mayAudit && records.data === undefined) return <Loaded query={records}>{() => null}</Loaded>;
          const changes = [...items.map((event) => ofEvent(event, names)), ...done.map(ofRecord)]
            .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
            .slice(0, most);
          return changes.length === 0 ? (
            <p className="px-4 py-3 text-soft text-sm">No changes yet. Events of your clusters are shown here.</p>
          ) : (
            <Timeline label="Recent changes">
              {changes.map(({ id, at, tone, title, detail }) => (
                <TimelineItem key={id} tone={tone} title={title} aside={<Time at={at} />}>
                  {detail === '' ? undefined : detail}
                </TimelineItem>
              ))}
            </Timeline>
          );
        }}
      </Loaded>
    </Section>
  );
}

function ofEvent(
  event: Answers['clusters']['organizationEvents']['items'][number],
  names: ReadonlyMap<string, string>,
): Change {
  const { title, detail, tone } = eventWords(event);
  const cluster = names.get(event.clusterId);
  return {
    id: event.id,
    at: event.at,
    // A past event is not live: a later event reports what followed.
    tone: tone === 'live' ? 'neutral' : tone,
    title: cluster === undefined ? title : `${cluster}: ${title}`,
    detail,
  };
}

function ofRecord(record: Answers['auditLog']['list']['items'][number]): Change {
  return { id: record.id, at: record.at, tone: 'neutral', title: auditSentence(record), detail: '' };
}
