import { type Option, UsageError } from '../engine/command.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { meant, type Project } from './chosen.ts';

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
  const projectIds = words.map((word) => {
    const found = meant(projects, word);
    if (found !== undefined) return found.id;
    const slugs = projects.map(({ slug }) => slug).join(', ') || 'none';
    throw new UsageError(`There is no project "${printable(word)}"; there is: ${slugs}.`);
  });
  return { projectIds };
}

/** The body of a change: exactly one of the three options says it. */
export async function changeOfAllowed(
  rest: Rest,
  given: { project?: string[]; 'all-projects'?: boolean; 'no-project'?: boolean },
): Promise<Partial<Allowed>> {
  const { project = [], 'all-projects': all = false, 'no-project': none = false } = given;
  if ([project.length > 0, all, none].filter(Boolean).length !== 1) {
    throw new UsageError('Say which projects may use it: --project SLUG, --all-projects or --no-project, one of them.');
  }
  if (all) return { allProjects: true };
  return none ? { projectIds: [] } : await namedProjects(rest, project);
}

/** In a few words: `all`, `none`, or slugs. `projects` are those that the token sees. */
export function allowedText({ allProjects, projectIds }: Allowed, projects: readonly Project[]): string {
  if (allProjects) return 'all';
  const slugs = projectIds.map((id) => projects.find((one) => one.id === id)?.slug ?? id);
  return slugs.join(', ') || 'none';
}
