import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMay, useMembership } from '../../../control-plane/session.ts';
import type { ListedCluster } from '../../clusters/cluster-status.tsx';

export interface Step {
  title: string;
  about: string;
  done: boolean;
  /** Page of the console or of the sign-in provider where the step is taken. */
  go?: { label: string; link: LinkProps } | { label: string; href: string };
  command?: string;
}

/** The first steps that this role may take; undefined until their data is loaded. */
export function useSteps(clusters: readonly ListedCluster[] | undefined, personId: string): Step[] | undefined {
  const { trpc } = usePlane();
  const { id, slug: organization } = useMembership();
  const isAdmin = useMay('admin');
  const forAdmins = { enabled: isAdmin };
  const self = useQuery(trpc.members.get.queryOptions({ path: { id, userId: personId } }));
  const provider = useQuery(trpc.auth.config.queryOptions());
  const members = useQuery(trpc.members.list.queryOptions({ path: { id }, query: { limit: 2 } }, forAdmins));
  const invitations = useQuery(trpc.invitations.list.queryOptions({ path: { id }, query: { limit: 1 } }, forAdmins));
  const tokens = useQuery(trpc.apiTokens.list.queryOptions({ query: { limit: 1 } }, forAdmins));

  if (clusters === undefined || self.data === undefined || provider.data === undefined) return undefined;
  const secondFactor: Step = {
    title: 'Turn on a second factor',
    about: 'An authenticator app or a passkey, besides the password. It counts from your next sign-in.',
    done: self.data.mfa,
    go: isBuiltIn(provider.data.issuer)
      ? { label: 'Open your sign-in', href: '/oidc/account' }
      : { label: `Open ${provider.data.providerName}`, href: provider.data.issuer },
  };
  if (!isAdmin) return [secondFactor];
  if (members.data === undefined || invitations.data === undefined || tokens.data === undefined) return undefined;
  const params = { organization };
  const reached = clusters.filter(({ lastHeartbeatAt }) => lastHeartbeatAt !== undefined);
  const [target] = reached.filter(({ schedulable }) => schedulable);
  return [
    secondFactor,
    {
      title: 'Invite somebody',
      about: 'An invited person signs in with their own account and has the rights of their role.',
      done: members.data.items.length > 1 || invitations.data.items.length > 0,
      go: { label: 'Invite', link: { to: '/$organization/members', params, search: { invite: true } } },
    },
    {
      title: 'Connect a cluster',
      about: 'One command on a machine makes it a cluster.',
      done: reached.length > 0,
      go: { label: 'Add a cluster', link: { to: '/$organization/clusters', params, search: { add: true } } },
    },
    {
      title: 'Create an API token',
      about: 'The command line and programs call the API with a token.',
      done: tokens.data.items.length > 0,
      go: { label: 'Create a token', link: { to: '/$organization/tokens', params, search: { make: true } } },
    },
    {
      title: 'Run something',
      about: 'A file says what runs: an image, its processes and their environment. One command puts it on a cluster.',
      done: clusters.some(({ summary }) => (summary?.workloads ?? 0) > 0),
      command: `BALLAST_URL=${location.origin} BALLAST_TOKEN=svc_… ./ballast cluster apply shop.yaml${target === undefined || target.local ? '' : ` --cluster ${target.slug}`}`,
    },
  ];
}

/** The provider that comes with Ballast lies at the same address, and has a page for one's account. */
function isBuiltIn(issuer: string): boolean {
  return URL.canParse(issuer) && new URL(issuer).pathname === '/oidc' && new URL(issuer).host === location.host;
}
