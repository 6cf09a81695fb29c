import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import type { Tone } from '../../components/style.ts';
import { Timeline, TimelineItem } from '../../components/timeline.tsx';
import { Time } from '../../components/times/time.tsx';
import { withTimes } from '../../components/times/with-times.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay, useMembership } from '../../control-plane/session.ts';
import { type AuditRecord, auditSentence } from '../audit-log/audit-words.ts';
import type { ListedCluster } from '../clusters/cluster-status.tsx';
import { deploymentLink } from '../deployments/deployment-words.ts';
import { eventWords } from '../events/event-words.ts';

const most = 10;

interface Change {
  id: string;
  at: string;
  tone: Tone;
  title: string;
  detail: string;
  link: LinkProps;
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
          const changes = [
            ...items.map((event) => ofEvent(event, names, organization)),
            ...done.map((record) => ofRecord(record, organization)),
          ]
            .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
            .slice(0, most);
          return changes.length === 0 ? (
            <p className="px-4 py-3 text-soft text-sm">No changes yet. Events of your clusters are shown here.</p>
          ) : (
            <Timeline label="Recent changes">
              {changes.map(({ id, at, tone, title, detail, link }) => (
                <TimelineItem
                  key={id}
                  tone={tone}
                  title={
                    <Link {...link} className="rounded-sm hover:underline">
                      {withTimes(title)}
                    </Link>
                  }
                  aside={<Time at={at} />}
                >
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
  organization: string,
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
    link: { to: '/$organization/clusters/$cluster/events', params: { organization, cluster: event.clusterId } },
  };
}

function ofRecord(record: AuditRecord, organization: string): Change {
  const { id, at } = record;
  return { id, at, tone: 'neutral', title: auditSentence(record), detail: '', link: linkOf(record, organization) };
}

/** The page of the thing where its id leads there; else all that was done to it. */
function linkOf({ action, subject: { kind, id } }: AuditRecord, organization: string): LinkProps {
  const isGone = /\.(deleted|purged)$/.test(action);
  switch (isGone ? '' : kind) {
    case 'deployment':
      return deploymentLink({ id }, organization);
    case 'build':
      return { to: '/$organization/builds/$build', params: { organization, build: id } };
    case 'approval':
      return { to: '/$organization/approvals/$approval', params: { organization, approval: id } };
    case 'cluster':
      return { to: '/$organization/clusters/$cluster', params: { organization, cluster: id } };
    default:
      return { to: '/$organization/audit-log', params: { organization }, search: { subject: `${kind}/${id}` } };
  }
}
