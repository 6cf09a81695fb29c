import { slugOf } from '../../domain/slug.ts';
import { UsageError } from '../engine/command.ts';
import { said } from '../engine/table.ts';
import type { Project, Service } from '../place/chosen.ts';
import { chosenEnvironment, chosenProject, chosenService, type Environment, meant } from '../place/chosen.ts';
import { type Here, rememberedBy } from '../place/here.ts';

/** Where something is to be deployed: what there is, and the names of what is missing. */
export interface Target {
  project: Project | undefined;
  environment: Environment | undefined;
  service: Service | undefined;
  names: { project: string; environment: string; service: string };
}

/** The environments of a new project. */
const first = { staging: 'staging', production: 'production' };

/** `suggested`: the names of a new project and service, where nobody said them. */
export async function targetOf(here: Here, suggested: { project: string; service: string }): Promise<Target> {
  const { rest, wanted } = here;
  const projects = await rest.all<Project>('/projects');
  const word = wanted.project ?? suggested.project;
  const project = meant(projects, word);
  if (project === undefined) refuseForgotten(here, word);
  if (project === undefined) return { ...none, names: namesFor(here, word, suggested.service) };
  const chosen: Here = { ...here, wanted: { ...wanted, project: project.slug } };
  const environment = await chosenEnvironment(chosen, project, { change: true });
  const services = await rest.all<Service>(`/projects/${project.id}/services`);
  const name = wanted.service ?? suggested.service;
  const service = meant(services, name);
  return {
    project,
    environment,
    service,
    names: { project: project.slug, environment: environment.slug, service: name },
  };
}

/** The place of changes that are staged already; nothing may be missing. */
export async function existingTarget(here: Here): Promise<Target> {
  const project = await chosenProject(here);
  const environment = await chosenEnvironment(here, project, { change: true });
  const service = here.wanted.service === undefined ? undefined : await chosenService(here, project);
  const names = { project: project.slug, environment: environment.slug, service: service?.slug ?? '' };
  return { project, environment, service, names };
}

/** A directory that remembers a project expects it to be there: one that was deleted is not created anew by itself. */
function refuseForgotten(here: Here, word: string): void {
  const remembered = rememberedBy(here, 'project');
  if (remembered === '') return;
  throw new UsageError(
    said`There is no project "${word}" in ${here.organization.slug}; it may have been deleted or renamed.${remembered} --project NAME creates one.`,
  );
}

const none = { project: undefined, environment: undefined, service: undefined };

function namesFor({ wanted, named }: Here, project: string, service: string): Target['names'] {
  const environment = wanted.environment === undefined ? first.staging : slugOf(wanted.environment);
  if (environment === first.production && !named) {
    throw new UsageError('Production has to be named: give --environment production.');
  }
  if (Object.values(first).includes(environment)) return { project, environment, service: wanted.service ?? service };
  throw new UsageError(
    said`There is no project "${project}" yet, and a new one has the environments staging and production, not "${environment}".`,
  );
}
