import type { Environment, Project } from './chosen.ts';
import type { Here } from './here.ts';

/** Where a thing that was named by its id belongs. */
export async function placeOfEnvironment(
  { rest }: Pick<Here, 'rest'>,
  environmentId: string,
): Promise<{ project: Project; environment: Environment }> {
  const environment = await rest.call<Environment>('GET', `/environments/${environmentId}`);
  return { environment, project: await rest.call<Project>('GET', `/projects/${environment.projectId}`) };
}
