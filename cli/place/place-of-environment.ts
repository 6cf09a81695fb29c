import type { Rest } from '../engine/rest.ts';
import type { Environment, InEnvironment, Project } from './chosen.ts';

/** Where a thing belongs that was named by its id, and so by no place. */
export type There = Pick<InEnvironment, 'rest' | 'project' | 'environment'>;

export async function placeOfEnvironment(rest: Rest, environmentId: string): Promise<There> {
  const environment = await rest.call<Environment>('GET', `/environments/${environmentId}`);
  return { rest, environment, project: await rest.call<Project>('GET', `/projects/${environment.projectId}`) };
}
