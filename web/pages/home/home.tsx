import { useQuery } from '@tanstack/react-query';
import { Page } from '../../components/page.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership, useSession } from '../../control-plane/session.ts';
import { FirstSteps } from './first-steps/first-steps.tsx';
import { InFlight } from './in-flight.tsx';
import { LastDeployments } from './last-deployments.tsx';
import { Lately } from './lately.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { Running } from './running.tsx';
import { runningClusters } from './running-clusters.ts';
import { WaitingApprovals } from './waiting-approvals.tsx';

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
