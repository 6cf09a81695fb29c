import { PlusIcon, ProjectIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { nameOf, type Scope } from '../../frame/scopes/scope.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, flag, type Search, text } from '../../search.ts';
import { useProject } from './use-project.ts';

const projects = createRoute({
  ...pageIn(organizationRoute, '/p', () => import('./project-list.tsx'), 'ProjectList'),
  validateSearch: ({ q }: Search) => ({ ...text('q', q) }),
});
const newProject = createRoute({
  ...pageIn(organizationRoute, '/new-project', () => import('./new-project.tsx'), 'NewProject'),
  // Once it is made, the address alone shows how it goes on.
  validateSearch: ({ project, environment, from, deployment }: Search) => ({
    ...text('project', project),
    ...text('environment', environment),
    ...chosen('from', from, ['push', 'git', 'folder']),
    ...text('deployment', deployment),
  }),
});
const project = createRoute({
  ...pageIn(organizationRoute, '/p/$project', () => import('./project.tsx'), 'Project'),
  validateSearch: ({ add }: Search) => ({ ...flag('add', add) }),
});
const projectOverview = createRoute(pageIn(project, '/', () => import('./project-overview.tsx'), 'ProjectOverview'));

const projectSettings = createRoute(
  pageIn(project, '/settings', () => import('./project-settings.tsx'), 'ProjectSettings'),
);

export const routes = [projects, newProject, project.addChildren([projectOverview, projectSettings])] as const;

export const place: NavigationEntry = {
  label: 'Projects',
  to: '/$organization/p',
  icon: <ProjectIcon />,
  key: 'p',
  group: 'work',
  also: 'applications services environments',
};

export const scope: Scope = {
  path: '/$organization/p/$project',
  noun: 'Project',
  nouns: 'Projects',
  useName: () => nameOf(useProject(), ({ name }) => name),
  useSiblings: ({ organization = '' }) => {
    const { items } = useList(usePlane().trpc.projects.list, {});
    return {
      items: items?.map(({ slug, name }) => ({ value: slug, label: name })),
      ways: [
        {
          label: 'New project',
          icon: <PlusIcon />,
          link: { to: '/$organization/new-project', params: { organization } },
        },
      ],
    };
  },
  navigation: [
    { label: 'Overview', to: '/$organization/p/$project' },
    { label: 'Settings', to: '/$organization/p/$project/settings' },
  ],
};

export const affected: Affected<'project'> = {
  // Services are placed on the canvas of their project.
  project: (trpc, id) => [one(trpc.projects, id), all(trpc.services.list)],
};
