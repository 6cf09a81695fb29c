import { useParams } from '@tanstack/react-router';
import { type Sought, useBySlug } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';

export type ProjectAnswer = Answers['projects']['list']['items'][number];

/** The project whose slug is in the address, for the pages beneath it. */
export function useProject(): Sought<ProjectAnswer> {
  const { trpc } = usePlane();
  const { project } = useParams({ strict: false });
  return useBySlug(trpc.projects.list, {}, project);
}
