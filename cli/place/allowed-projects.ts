import { type Option, UsageError } from '../engine/command.ts';
import type { Rest } from '../engine/rest.ts';
import { meantOf, type Project } from './chosen.ts';

/** Who may use something of the organization, as the API says it. */
interface Allowed {
  allProjects: boolean;
  projectIds: readonly string[];
}

export const allowedOption = {
  project: {
    type: 'string',
    multiple: true,
    value: 'SLUG',
    what: 'A project that may use it; may be repeated. All may by default.',
  },
} as const satisfies Record<string, Option>;

export const changeAllowedOptions = {
  project: {
    ...allowedOption.project,
    what: 'A project that may use it, instead of those that may now; may be repeated.',
  },
  'all-projects': { type: 'boolean', what: 'Let all projects use it, those to come as well.' },
  'no-project': { type: 'boolean', what: 'Let no project use it.' },
} as const satisfies Record<string, Option>;

/** `projectIds` of the projects that are meant; nothing if none is named. */
export async function namedProjects(rest: Rest, words: readonly string[] = []): Promise<{ projectIds?: string[] }> {
  if (words.length === 0) return {};
  const projects = await rest.all<Project>('/projects');
  return { projectIds: words.map((word) => meantOf('project', projects, word).id) };
}

/** Changes who may use a thing, as exactly one of the three options says. */
export async function changeAllowed<Thing extends Allowed & { id: string }>(
  rest: Rest,
  given: { project?: string[]; 'all-projects'?: boolean; 'no-project'?: boolean },
  path: string,
  thing: () => Promise<Thing>,
): Promise<{ changed: Thing; projects: () => Promise<string> }> {
  const { project = [], 'all-projects': all = false, 'no-project': none = false } = given;
  if ([project.length > 0, all, none].filter(Boolean).length !== 1) {
    throw new UsageError('Say which projects may use it: --project SLUG, --all-projects or --no-project, one of them.');
  }
  const change = all ? { allProjects: true } : none ? { projectIds: [] } : await namedProjects(rest, project);
  const { id, allProjects, projectIds } = await thing();
  const changed = await rest.call<Thing>('PATCH', `${path}/${id}`, { ...change, was: { allProjects, projectIds } });
  return { changed, projects: async () => (await whoMayUse(rest, [changed]))(changed) };
}

/** Who may use each of these, in a few words: `all`, `none`, or slugs, of the projects that the token sees. */
export async function whoMayUse(rest: Rest, things: readonly Allowed[]): Promise<(one: Allowed) => string> {
  const projects = things.length === 0 ? [] : await rest.all<Project>('/projects');
  return ({ allProjects, projectIds }) => {
    if (allProjects) return 'all';
    return projectIds.map((id) => projects.find((one) => one.id === id)?.slug ?? id).join(', ') || 'none';
  };
}
