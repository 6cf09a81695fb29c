import type { z } from 'zod';
import type { environmentSchema } from '../../api/environments/environment.ts';
import type { projectSchema } from '../../api/projects/project.ts';
import type { serviceSchema } from '../../api/services/service.ts';
import { UsageError } from '../engine/command.ts';
import { foundBy } from '../engine/given.ts';
import { said } from '../engine/table.ts';
import { type Here, here, rememberedBy, type TargetOptions } from './here.ts';

export type Project = z.output<typeof projectSchema>;
export type Environment = z.output<typeof environmentSchema>;
export type Service = z.output<typeof serviceSchema>;

/** Places that a command is about, each within the one before. */
export type InProject = Here & { project: Project };
export type InEnvironment = InProject & { environment: Environment };
export type InService = InEnvironment & { service: Service };

export async function projectHere(given: TargetOptions): Promise<InProject> {
  const place = await here(given);
  return { ...place, project: await chosenProject(place) };
}

export async function environmentHere(given: TargetOptions, aim: { change: boolean }): Promise<InEnvironment> {
  const place = await projectHere(given);
  return { ...place, environment: await chosenEnvironment(place, place.project, aim) };
}

export async function serviceHere(given: TargetOptions, aim: { change: boolean }): Promise<InService> {
  const place = await projectHere(given);
  const service = await chosenService(place, place.project);
  return { ...place, service, environment: await chosenEnvironment(place, place.project, aim) };
}

/** The project that a command is about: as it was named, or the only one. */
export async function chosenProject(here: Here): Promise<Project> {
  const projects = await here.rest.all<Project>('/projects');
  const none = 'There is no project yet; see `./ballast deploy --help` or `./ballast project create --help`.';
  return onlyOne('project', projects, here, none);
}

/** `change`: the command changes something, so production has to be named by the option. */
export async function chosenEnvironment(
  here: Here,
  project: Project,
  { change }: { change: boolean },
): Promise<Environment> {
  const { rest, wanted, named } = here;
  const environments = await rest.all<Environment>(`/projects/${project.id}/environments`);
  const first = environments.find(({ production, kind }) => !production && kind === 'persistent');
  const word = wanted.environment ?? first?.slug;
  const none = `The project ${project.slug} has no environment; see \`./ballast env create --help\`.`;
  if (word === undefined && environments.length > 0) {
    throw new UsageError(
      `${project.slug} has only production environments; name one by --environment: ${slugs(environments)}.`,
    );
  }
  const found = onlyOne('environment', environments, { ...here, wanted: { ...wanted, environment: word } }, none);
  if (!change || !found.production || named) return found;
  throw new UsageError(
    `The environment ${found.slug} is production: name it, by --environment ${found.slug}, to change something there.`,
  );
}

export async function chosenService(here: Here, project: Project): Promise<Service> {
  const services = await here.rest.all<Service>(`/projects/${project.id}/services`);
  const none = `The project ${project.slug} has no service; see \`./ballast deploy --help\`.`;
  return onlyOne('service', services, here, none);
}

interface Named {
  id: string;
  slug: string;
  name: string;
}

/**
 * The thing that is meant by this word. A slug goes before a name, which somebody may have chosen to look like one; a name
 * as it is spelled before others that differ in capitals. Names are nobody's alone: of several none is guessed.
 */
export function meant<Thing extends Named>(things: readonly Thing[], word: string): Thing | undefined {
  const known = things.find(({ slug, id }) => slug === word || id === word.toLowerCase());
  if (known !== undefined) return known;
  // The same letter can be one sign or two, as macOS writes it.
  const spelled = word.normalize('NFC');
  const same = things.filter(({ name }) => name.normalize('NFC') === spelled);
  const alike = things.filter(({ name }) => name.normalize('NFC').toLowerCase() === spelled.toLowerCase());
  const [only, another] = same.length > 0 ? same : alike;
  if (another === undefined) return only;
  const found = same.length > 0 ? same : alike;
  throw new UsageError(said`Several are called "${word}": say which one by its slug: ${slugs(found)}.`);
}

function onlyOne<Thing extends Named>(
  noun: 'project' | 'environment' | 'service',
  things: readonly Thing[],
  here: Here,
  none: string,
): Thing {
  const word = here.wanted[noun];
  const remembered = rememberedBy(here, noun);
  const [only] = things;
  if (only === undefined && remembered === '') throw new UsageError(none);
  if (word === undefined) {
    if (only !== undefined && things.length === 1) return only;
    throw new UsageError(`There are several ${noun}s; say which one by --${noun}: ${slugs(things)}.`);
  }
  const found = meant(things, word);
  if (found !== undefined) return found;
  throw new UsageError(said`There is no ${noun} "${word}"; there is: ${slugs(things) || 'none'}.${remembered}`);
}

/** The one of these that this word means; of none the refusal names those that there are. */
export function meantOf<Thing extends Named>(noun: string, things: readonly Thing[], word: string): Thing {
  return foundBy(
    word,
    noun,
    meant(things, word),
    things.map(({ slug }) => slug),
  );
}

function slugs(things: readonly Named[]): string {
  return things.map(({ slug }) => slug).join(', ');
}
