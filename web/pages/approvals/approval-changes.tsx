import { Diff, type DiffLine } from '../../components/diff/diff.tsx';
import { Notice } from '../../components/notice.tsx';
import { Card, Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Badge } from '../../components/status.tsx';
import { Time } from '../../components/times/time.tsx';
import { lineOf, type StagedItem, sharedTitle } from '../environments/staged/item-lines.ts';
import { type ServiceOverview, useOverview } from '../environments/use-overview.ts';
import { counted } from '../instances/counted.ts';
import { ServiceAddresses } from '../services/service-addresses.tsx';
import type { ApprovalAnswer } from './approval-words.tsx';

type Change = Pick<StagedItem, 'kind' | 'key' | 'label' | 'from' | 'to' | 'secret' | 'toEmpty'> & {
  processId?: string;
};
interface Released {
  number: number;
  image: string;
}
interface OfService {
  serviceSlug: string;
  /** Of staged changes; of a deployment by itself those of settings and of the configuration file, against the live release. */
  items?: Change[];
  /** Of a deployment by itself: the release that is live, and the one that is to be. */
  from?: Released | null;
  to?: Released;
  promotedFrom?: { number: number; environment: string };
}

/** The changes as they were when the approval was requested: what is decided on. */
export function ApprovalDiff({ approval: { diff } }: { approval: ApprovalAnswer }) {
  const services = Array.isArray(diff) ? (diff as unknown as OfService[]) : [];
  return services.map((service) => {
    const title = service.serviceSlug === '' ? sharedTitle : `Changes of ${service.serviceSlug}`;
    return (
      <Section key={service.serviceSlug} title={title}>
        <Diff label={title} lines={linesOf(service)} />
      </Section>
    );
  });
}

function linesOf({ items = [], from, to, promotedFrom }: OfService): DiffLine[] {
  const changes = items.map((item) =>
    lineOf({ ...item, id: `${item.kind} ${item.processId ?? ''} ${item.key} ${item.label}` }),
  );
  if (to === undefined) return changes;
  const release = ({ number }: Released) => `Release ${number}`;
  return [
    { id: 'release', title: 'Release', from: from ? release(from) : undefined, to: release(to) },
    {
      id: 'image',
      title: 'Image',
      from: from?.image === to.image ? undefined : from?.image,
      to: to.image,
      about: promotedFrom && `Of release ${promotedFrom.number} in ${promotedFrom.environment}`,
    },
    ...changes,
  ];
}

/** The commits since the release that is live, as far as releases name any. */
export function Commits({ approval: { commits, withoutCommits } }: { approval: ApprovalAnswer }) {
  if (commits.length === 0 && withoutCommits.length === 0) return null;
  const named = (built: boolean) => withoutCommits.filter((one) => one.built === built).map(({ name }) => name);
  const [uploaded, elsewhere] = [named(true), named(false)];
  return (
    <Section title="Commits since the live release" bare>
      <div className="flex flex-col gap-2.5">
        {uploaded.length > 0 && (
          <Notice>{`The image of ${uploaded.join(', ')} names no commit: it was built here of a folder that was uploaded.`}</Notice>
        )}
        {elsewhere.length > 0 && (
          <Notice>{`The image of ${elsewhere.join(', ')} names no commit: it was built elsewhere, and only its digest tells what is in it.`}</Notice>
        )}
        {commits.length > 0 && (
          <Card>
            <Rows label="Commits">
              {commits.map(({ sha, message, author, at }) => (
                <Row
                  key={sha}
                  title={<code>{sha.slice(0, 12)}</code>}
                  detail={message === '' ? undefined : message}
                  facts={
                    <span>
                      {author}, <Time at={at} />
                    </span>
                  }
                />
              ))}
            </Rows>
          </Card>
        )}
      </div>
    </Section>
  );
}

interface Target {
  releases?: { serviceId: string; number: number }[];
}

/** The blast radius: services that change and those that depend on them, with what they serve there today. */
export function Reach({ approval }: { approval: ApprovalAnswer }) {
  const { environmentId, environmentName, blastRadius, target } = approval;
  const services = useOverview(environmentId).data ?? [];
  const changed = new Map(((target ?? {}) as Target).releases?.map(({ serviceId, number }) => [serviceId, number]));
  const depends = new Set(blastRadius.map(({ id }) => id));
  const reached = services.filter(({ serviceId }) => changed.has(serviceId) || depends.has(serviceId));
  if (reached.length === 0) return null;
  const replicas = reached.reduce((sum, { replicasDesired }) => sum + replicasDesired, 0);
  const order = reached.toSorted(
    (one, other) => Number(depends.has(one.serviceId)) - Number(depends.has(other.serviceId)),
  );
  return (
    <Section
      title="Blast radius"
      about={`${counted(reached.length, 'service')} of ${environmentName}, ${counted(replicas, 'instance')} there today.`}
    >
      <Rows label="Blast radius">
        {order.map((service) => (
          <Row
            key={service.serviceId}
            title={service.serviceName}
            badges={
              <Badge tone={changed.has(service.serviceId) ? 'attention' : 'neutral'}>
                {changed.has(service.serviceId) ? 'changes' : 'depends on it'}
              </Badge>
            }
            detail={<Served of={service} becomes={changed.get(service.serviceId)} />}
            facts={service.addresses.some(({ url }) => url !== '') ? <ServiceAddresses of={service} /> : undefined}
          />
        ))}
      </Rows>
    </Section>
  );
}

function Served({ of, becomes }: { of: ServiceOverview; becomes: number | undefined }) {
  const { activeReleaseNumber: serves, replicasDesired } = of;
  const now =
    serves === undefined ? 'Nothing serves yet' : `Release ${serves} serves, ${counted(replicasDesired, 'instance')}`;
  return becomes === undefined || becomes === serves ? now : `${now}; release ${becomes} after this`;
}
