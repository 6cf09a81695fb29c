import { chosenEnvironment, chosenProject, chosenService } from './chosen.ts';
import { here, type TargetOptions } from './here.ts';

/** The filters of a list that the options name, in words, too. Without any it is the whole organization. */
export async function narrowed(given: TargetOptions) {
  const place = await here(given);
  const { rest, organization } = place;
  const filter: Record<string, string> = {};
  const { project: one, environment: two, service: three } = given;
  if (one === undefined && two === undefined && three === undefined) return { rest, filter, words: organization.slug };
  const project = await chosenProject(place);
  const names = [project.slug];
  filter.projectId = project.id;
  if (two !== undefined) {
    const environment = await chosenEnvironment(place, project, { change: false });
    filter.environmentId = environment.id;
    names.push(environment.slug);
  }
  if (three !== undefined) {
    const service = await chosenService(place, project);
    filter.serviceId = service.id;
    names.push(service.slug);
  }
  return { rest, filter, words: names.join(' / ') };
}
