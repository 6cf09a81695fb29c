import type { Environment, Project } from '../place/chosen.ts';

/** The options that name this place, for a command that somebody is told to type. */
export function placeWords(project: Project, environment: Environment): string {
  return ` --project ${project.slug} --environment ${environment.slug}`;
}
