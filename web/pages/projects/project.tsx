import { Outlet } from '@tanstack/react-router';
import { Page } from '../../components/page.tsx';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { useVisitedPlace } from '../../frame/palette/recent.ts';
import { type ProjectAnswer, useProject } from './use-project.ts';

/** One project: around its pages. */
export function Project() {
  return (
    <ThingPage query={useProject()} noun="Project" width="wide">
      {(project) => <OneProject project={project} />}
    </ThingPage>
  );
}

function OneProject({ project }: { project: ProjectAnswer }) {
  const { id, name, slug, description } = project;
  useVisitedPlace('project', id, name, { project: slug });
  return (
    <Page title={name} width="wide" about={description || undefined}>
      <Outlet />
    </Page>
  );
}
