import { useQuery } from '@tanstack/react-query';
import { Page } from '../../components/page.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership, useSession } from '../../control-plane/session.ts';
import { FirstSteps } from './first-steps.tsx';
import { Lately } from './lately.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { Running } from './running.tsx';
import { runningClusters } from './running-clusters.ts';

/** The first page: problems, running workloads, recent changes. */
export function Home() {
  const { trpc } = usePlane();
  const { role } = useMembership();
  const person = useSession()?.user;
  const clusters = useQuery(runningClusters(trpc));
  return (
    <Page title="Home">
      <NeedsAttention />
      {/* Another role may do other steps. */}
      {person !== undefined && <FirstSteps key={role} clusters={clusters.data?.items} personId={person.id} />}
      <Running clusters={clusters} />
      <Lately clusters={clusters.data?.items} />
    </Page>
  );
}
