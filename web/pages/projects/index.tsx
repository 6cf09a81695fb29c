import { PlusIcon, ProjectIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { nameOf, type Scope } from '../../frame/scopes/scope.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, flag, type Search, text } from '../../search.ts';
import { useProject } from './use-project.ts';

const projects = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/p',
  validateSearch: ({ q }: Search) => ({ ...text('q', q) }),
  component: page(() => import('./project-list.tsx'), 'ProjectList'),
});
const newProject = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/new-project',
  // Once it is made, the address alone shows how it goes on.
  validateSearch: ({ project, environment, from, deployment }: Search) => ({
    ...text('project', project),
    ...text('environment', environment),
    ...chosen('from', from, ['push', 'git', 'folder']),
    ...text('deployment', deployment),
  }),
  component: page(() => import('./new-project.tsx'), 'NewProject'),
});
const project = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/p/$project',
  validateSearch: ({ add }: Search) => ({ ...flag('add', add) }),
  component: page(() => import('./project.tsx'), 'Project'),
});
const projectOverview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: page(() => import('./project-overview.tsx'), 'ProjectOverview'),
});

const projectSettings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: page(() => import('./project-settings.tsx'), 'ProjectSettings'),
});

export const routes = [projects, newProject, project.addChildren([projectOverview, projectSettings])] as const;

export const place: Place = {
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
