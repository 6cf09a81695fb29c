import { Outlet } from '@tanstack/react-router';
import { Page } from '../../components/page.tsx';
import { Badge } from '../../components/status.tsx';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { HeldThere } from '../approvals/held/held-strip.tsx';
import { StagedBar } from '../environments/staged/staged-bar.tsx';
import { ServiceHealth } from './service-health.tsx';
import { type Placed, useService, useServiceOverview } from './use-service.ts';

/** One service in an environment: around its pages. */
export function Service() {
  return (
    <ThingPage query={useService()} noun="Service" width="wide">
      {(placed) => <OneService {...placed} />}
    </ThingPage>
  );
}

function OneService({ service, environment }: Placed) {
  const overview = useServiceOverview({ service, environment });
  return (
    <Page
      title={service.name}
      width="wide"
      status={
        <>
          {overview !== undefined && <ServiceHealth of={overview} />}
          {environment.production && <Badge tone="attention">production</Badge>}
          {service.stagedIn?.environmentId === environment.id && <Badge tone="live">staged, not deployed yet</Badge>}
        </>
      }
    >
      <HeldThere environmentId={environment.id} serviceId={service.id} />
      <StagedBar environment={environment} />
      <Outlet />
    </Page>
  );
}
