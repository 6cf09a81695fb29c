import { useParams } from '@tanstack/react-router';
import { type Sought, useBySlug } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { useProject } from '../projects/use-project.ts';

export type EnvironmentAnswer = Answers['environments']['list']['items'][number];

/** The environment whose slug is in the address, for the pages beneath it. */
export function useEnvironment(): Sought<EnvironmentAnswer> {
  const { trpc } = usePlane();
  const { environment: slug } = useParams({ strict: false });
  const project = useProject();
  const path = { id: project.data?.id ?? '' };
  const environment = useBySlug(trpc.environments.list, { path }, slug, project.data !== undefined);
  return project.isError ? { ...project, data: undefined } : environment;
}
