import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page, Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { BriefTime, Time } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership, useSession } from '../../control-plane/session.ts';
import { titleOf } from '../approvals/approval-words.tsx';
import { pendingApprovals, waitingForMe } from '../approvals/waiting.ts';
import { BuildRow } from '../builds/build-status.tsx';
import { DeploymentStatus } from '../deployments/deployment-status.tsx';
import { type DeploymentAnswer, deploymentLink, kindWords } from '../deployments/deployment-words.ts';
import { FirstSteps } from './first-steps/first-steps.tsx';
import { Lately } from './lately.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { Running } from './running.tsx';
import { runningClusters } from './running-clusters.ts';

interface DeploymentRowProps {
  deployment: DeploymentAnswer;
  /** A sentence beneath its name; its kind, where there is none. */
  about: string;
  /** Beside its state: by whom, when. */
  children: ReactNode;
}

/** A deployment among those of other projects. */
export function DeploymentRow({ deployment, about, children }: DeploymentRowProps) {
  const { slug } = useMembership();
  const { serviceName, releaseNumber, environmentName, projectName, kind } = deployment;
  return (
    <Row
      title={`${serviceName}, release ${releaseNumber}`}
      badges={
        <span className="text-soft text-sm">
          {environmentName} of {projectName}
        </span>
      }
      link={deploymentLink(deployment, slug)}
      detail={about || kindWords[kind]}
      facts={
        <>
          <span>{children}</span>
          <span className="text-text sm:w-42">
            <DeploymentStatus deployment={deployment} />
          </span>
        </>
      }
    />
  );
}

const most = 20;

/** Builds and deployments that run or wait: for what, and since when. Nothing is said where there are none. */
export function InFlight() {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.deployments.list.queryOptions({ query: { open: true, limit: most } }));
  const builds = useQuery(trpc.builds.list.queryOptions({ query: { open: true, limit: most } })).data;
  if (data === undefined || builds === undefined || data.items.length + builds.items.length === 0) return null;
  const more = data.nextCursor !== undefined || builds.nextCursor !== undefined;
  return (
    <Section title="In flight" about={more ? `The last ${most} of each; there are more.` : undefined}>
      <Rows label="In flight">
        {builds.items.map((build) => (
          <BuildRow key={build.id} build={build} />
        ))}
        {data.items.map((deployment) => (
          <DeploymentRow key={deployment.id} deployment={deployment} about={deployment.message}>
            since <BriefTime at={sinceOf(deployment)} />
          </DeploymentRow>
        ))}
      </Rows>
    </Section>
  );
}

/** The begin of its present stage. */
function sinceOf({ stages, createdAt }: DeploymentAnswer): string {
  return stages.findLast(({ endedAt }) => endedAt === undefined)?.startedAt ?? createdAt;
}

/** The last deployments that ended, of all projects. Nothing is said before the first one. */
export function LastDeployments() {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.deployments.list.queryOptions({ query: { open: false, limit: 10 } }));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title="Last deployments">
      <Rows label="Last deployments">
        {data.items.map((deployment) => (
          <DeploymentRow key={deployment.id} deployment={deployment} about={deployment.changeSetMessage}>
            {deployment.requestedBy}, <Time at={deployment.finishedAt ?? deployment.createdAt} />
          </DeploymentRow>
        ))}
      </Rows>
    </Section>
  );
}

/** Approvals that this person may decide. Nothing is said where there are none. */
export function WaitingApprovals() {
  const { slug: organization } = useMembership();
  const { data } = useQuery(pendingApprovals(usePlane().trpc));
  const waiting = data === undefined ? [] : waitingForMe(data);
  if (waiting.length === 0) return null;
  return (
    <Section title="Waiting for your approval">
      <Rows label="Waiting for your approval">
        {waiting.map((approval) => (
          <Row
            key={approval.id}
            title={titleOf(approval)}
            badges={<span className="text-soft text-sm">{approval.projectName}</span>}
            link={{ to: '/$organization/approvals/$approval', params: { organization, approval: approval.id } }}
            detail={approval.reason === '' ? undefined : approval.reason}
            facts={
              <span>
                {approval.requestedBy}, <Time at={approval.createdAt} />
              </span>
            }
          />
        ))}
      </Rows>
    </Section>
  );
}

/** The first page: what is broken, what waits for this person, what is deployed and runs, what changed. */
export function Home() {
  const { trpc } = usePlane();
  const { role } = useMembership();
  const person = useSession()?.user;
  const clusters = useQuery(runningClusters(trpc));
  return (
    <Page title="Home">
      <NeedsAttention />
      <WaitingApprovals />
      {/* Another role may do other steps. */}
      {person !== undefined && <FirstSteps key={role} clusters={clusters.data?.items} personId={person.id} />}
      <InFlight />
      <LastDeployments />
      <Running clusters={clusters} />
      <Lately clusters={clusters.data?.items} />
    </Page>
  );
}
