import {
  BeakerIcon,
  ContainerIcon,
  KeyIcon,
  MailIcon,
  PeopleIcon,
  PersonIcon,
  ProjectIcon,
  ServerIcon,
  StackIcon,
  WorkflowIcon,
} from '@primer/octicons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Status } from '../../components/status.tsx';
import type { Answers } from '../../control-plane/session.ts';
import { type ClusterAnswer, ClusterStatus } from '../../pages/clusters/cluster-status.tsx';
import { type InstanceAnswer, InstanceStatus } from '../../pages/instances/instance-state.tsx';
import type { Visited } from './recent.ts';

type Thing = Answers['searches']['search']['found'][number];
/** As the API finds it, or as it was remembered: without a state. */
export type Found = Omit<Visited, 'kind'> & Pick<Thing, 'kind'> & Partial<Thing>;

interface KindOfThing {
  /** Beside its name, where its state says something. */
  status?: (found: Found) => ReactNode;
  many: string;
  icon: ReactNode;
  link: (found: Found, organization: string) => LinkProps;
}

const onCluster = ({ clusterId = '' }: Found, organization: string) => ({ organization, cluster: clusterId });

/** The address of what is in a project is of slugs. */
const inProject = ({ place }: Found, organization: string) => ({
  organization,
  project: place?.project ?? '',
  environment: place?.environment ?? '',
  service: place?.service ?? '',
});

/** Found on the page that lists it, by its name. */
const listed =
  (
    to: '/$organization/members' | '/$organization/teams' | '/$organization/ci',
    search: { show?: 'invitations' } = {},
  ) =>
  ({ name }: Found, organization: string): LinkProps => ({
    to,
    params: { organization },
    search: { ...search, q: name },
  });

/** No longer of use. */
function ended({ state }: Found): ReactNode {
  if (state === undefined) return null;
  return <Status tone="neutral">{state === 'revoked' ? 'Revoked' : 'Expired'}</Status>;
}

export const kinds: Record<Thing['kind'], KindOfThing> = {
  project: {
    many: 'Projects',
    icon: <ProjectIcon />,
    link: (found, slug) => ({ to: '/$organization/p/$project', params: inProject(found, slug) }),
  },
  environment: {
    many: 'Environments',
    icon: <StackIcon />,
    link: (found, slug) => ({ to: '/$organization/p/$project/e/$environment', params: inProject(found, slug) }),
  },
  service: {
    many: 'Services',
    icon: <ContainerIcon />,
    link: (found, slug) => ({
      // One that is in no environment has no page of its own.
      to: `/$organization/p/$project${found.place?.environment === undefined ? '' : '/e/$environment/s/$service'}`,
      params: inProject(found, slug),
    }),
  },
  cluster: {
    many: 'Clusters',
    icon: <ServerIcon />,
    status: (found) =>
      found.state && <ClusterStatus cluster={{ ...found, status: found.state as ClusterAnswer['status'] }} />,
    link: (found, slug) => ({ to: '/$organization/clusters/$cluster', params: onCluster(found, slug) }),
  },
  workload: {
    many: 'Workloads',
    icon: <ContainerIcon />,
    link: (found, slug) => ({ to: '/$organization/clusters/$cluster', params: onCluster(found, slug) }),
  },
  instance: {
    many: 'Instances',
    icon: <ContainerIcon />,
    status: (found) =>
      found.state && <InstanceStatus instance={{ ...found, state: found.state as InstanceAnswer['state'] }} />,
    link: (found, slug) => ({
      to: '/$organization/clusters/$cluster/instances/$instance',
      params: { ...onCluster(found, slug), instance: found.id },
    }),
  },
  member: {
    many: 'Members',
    icon: <PersonIcon />,
    link: listed('/$organization/members'),
  },
  team: {
    many: 'Teams',
    icon: <PeopleIcon />,
    link: listed('/$organization/teams'),
  },
  token: {
    many: 'API tokens',
    icon: <KeyIcon />,
    status: ended,
    link: ({ name, state }, organization) => ({
      to: '/$organization/tokens',
      params: { organization },
      search: { q: name, ...(state === undefined ? {} : { over: true as const }) },
    }),
  },
  invitation: {
    many: 'Invitations',
    icon: <MailIcon />,
    status: ended,
    link: listed('/$organization/members', { show: 'invitations' }),
  },
  'trusted-issuer': {
    many: 'CI jobs',
    icon: <BeakerIcon />,
    link: listed('/$organization/ci'),
  },
  workflow: {
    many: 'Workflows',
    icon: <WorkflowIcon />,
    status: ({ stateTitle, tone = 'neutral' }) => stateTitle && <Status tone={tone}>{stateTitle}</Status>,
    link: ({ id }, organization) => ({
      to: '/$organization/workflows/$workflow',
      params: { organization, workflow: id },
    }),
  },
};
