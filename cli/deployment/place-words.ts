import type { InEnvironment } from '../place/chosen.ts';

/** The options that name this place, for a command that somebody is told to type. */
export function placeWords({ project, environment }: Pick<InEnvironment, 'project' | 'environment'>): string {
  return ` --project ${project.slug} --environment ${environment.slug}`;
}
