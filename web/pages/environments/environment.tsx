import { Outlet } from '@tanstack/react-router';
import { Page } from '../../components/page.tsx';
import { Badge } from '../../components/status.tsx';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { useVisitedPlace } from '../../frame/palette/recent.ts';
import { HeldThere } from '../approvals/held/held-strip.tsx';
import { useProject } from '../projects/use-project.ts';
import { StagedBar } from './staged/staged-bar.tsx';
import { type EnvironmentAnswer, useEnvironment } from './use-environment.ts';

/** One environment: around its pages. */
export function Environment() {
  return (
    <ThingPage query={useEnvironment()} noun="Environment" width="wide">
      {(environment) => <OneEnvironment environment={environment} />}
    </ThingPage>
  );
}

function OneEnvironment({ environment }: { environment: EnvironmentAnswer }) {
  const { id, name, slug, production } = environment;
  const project = useProject().data;
  useVisitedPlace('environment', id, `${project?.name} ${name}`, { project: project?.slug ?? '', environment: slug });
  return (
    <Page title={name} width="wide" status={production && <Badge tone="attention">production</Badge>}>
      <HeldThere environmentId={id} />
      <StagedBar environment={environment} />
      <Outlet />
    </Page>
  );
}
