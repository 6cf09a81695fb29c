import { getRouteApi } from '@tanstack/react-router';
import { Card, Page } from '../../components/page.tsx';
import { FirstDeployment } from './first-deployment.tsx';
import { FirstSource } from './first-source.tsx';
import { NewProjectForm } from './new-project-form.tsx';

const route = getRouteApi('/$organization/new-project');

/** From an image, or code, to a running address: a form, then what comes of it, on one page. */
export function NewProject() {
  const { project, environment, from, deployment } = route.useSearch();
  return (
    <Page
      title="New project"
      about="An image or its code, a port, and where it runs. This page follows it until it answers."
    >
      {deployment !== undefined ? (
        <FirstDeployment id={deployment} />
      ) : project !== undefined && environment !== undefined ? (
        <FirstSource project={project} environment={environment} from={from ?? 'push'} />
      ) : (
        <Card>
          <div className="max-w-xl p-5">
            <NewProjectForm />
          </div>
        </Card>
      )}
    </Page>
  );
}
