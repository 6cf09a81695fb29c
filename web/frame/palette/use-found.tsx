import {
  BeakerIcon,
  ContainerIcon,
  KeyIcon,
  MailIcon,
  PeopleIcon,
  PersonIcon,
  ServerIcon,
  WorkflowIcon,
} from '@primer/octicons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';
import type { Command } from './commands.tsx';

type Found = Answers['searches']['search']['found'][number];

interface KindOfThing {
  many: string;
  icon: ReactNode;
  link: (found: Found, organization: string) => LinkProps;
}

const onCluster = ({ clusterId = '' }: Found, organization: string) => ({ organization, cluster: clusterId });

const kinds: Record<Found['kind'], KindOfThing> = {
  cluster: {
    many: 'Clusters',
    icon: <ServerIcon />,
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
    link: (found, slug) => ({
      to: '/$organization/clusters/$cluster/instances/$instance',
      params: { ...onCluster(found, slug), instance: found.id },
    }),
  },
  member: {
    many: 'Members',
    icon: <PersonIcon />,
    link: ({ name }, organization) => ({ to: '/$organization/members', params: { organization }, search: { q: name } }),
  },
  team: {
    many: 'Teams',
    icon: <PeopleIcon />,
    link: (_, organization) => ({ to: '/$organization/teams', params: { organization } }),
  },
  token: {
    many: 'API tokens',
    icon: <KeyIcon />,
    link: (_, organization) => ({ to: '/$organization/tokens', params: { organization } }),
  },
  invitation: {
    many: 'Invitations',
    icon: <MailIcon />,
    link: (_, organization) => ({
      to: '/$organization/members',
      params: { organization },
      search: { show: 'invitations' },
    }),
  },
  'trusted-issuer': {
    many: 'CI jobs',
    icon: <BeakerIcon />,
    link: (_, organization) => ({ to: '/$organization/ci', params: { organization } }),
  },
  workflow: {
    many: 'Workflows',
    icon: <WorkflowIcon />,
    link: ({ id }, organization) => ({
      to: '/$organization/workflows/$workflow',
      params: { organization, workflow: id },
    }),
  },
};

const debounceMillis = 150;

/** Things of the organization whose name or id has the text, by kind, the best first. */
export function useFound(text: string): { label: string; items: Command[] }[] {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const navigate = useNavigate();
  const sought = useDebounced(text.trim());
  const { data } = useQuery(
    trpc.searches.search.queryOptions(
      { query: { q: sought, limit: 30 } },
      // Names change: an answer is good for as long as the palette is open.
      { enabled: sought !== '', placeholderData: keepPreviousData, gcTime: 0, trpc: { abortOnUnmount: true } },
    ),
  );
  if (text.trim() === '') return [];
  const groups = Map.groupBy(data?.found ?? [], ({ kind }) => kind);
  return [...groups].flatMap(([kind, found]) => {
    const known = kinds[kind];
    if (known === undefined) return [];
    const items = found.map((one) => ({
      id: `${kind} ${one.id}`,
      label: one.name,
      detail: one.detail,
      // The control plane has found it by this text, whatever its name is.
      also: `${one.detail} ${text}`,
      icon: known.icon,
      run: () => void navigate(known.link(one, slug)),
    }));
    return [{ label: known.many, items }];
  });
}

function useDebounced(text: string): string {
  const [late, setLate] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLate(text), debounceMillis);
    return () => clearTimeout(timer);
  }, [text]);
  return late;
}
