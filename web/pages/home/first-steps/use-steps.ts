import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { usePlane } from '../../../control-plane/plane.ts';
import { type Answers, useMay, useMembership } from '../../../control-plane/session.ts';
import type { ListedCluster } from '../../clusters/cluster-status.tsx';

export interface Step {
  title: string;
  about: string;
  done: boolean;
  /** Page of the console or of the sign-in provider where the step is taken. */
  go: { label: string; link: LinkProps } | { label: string; href: string };
}

/** Things that are there already; of the last three how many. */
interface Known {
  organization: string;
  clusters: readonly Pick<ListedCluster, 'lastHeartbeatAt' | 'summary'>[];
  members: number;
  invitations: number;
  tokens: number;
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
  const secondFactor = secondFactorStep(self.data, provider.data);
  if (!isAdmin) return [secondFactor];
  if (members.data === undefined || invitations.data === undefined || tokens.data === undefined) return undefined;
  return [
    secondFactor,
    ...adminSteps({
      organization,
      clusters,
      members: members.data.items.length,
      invitations: invitations.data.items.length,
      tokens: tokens.data.items.length,
    }),
  ];
}

function secondFactorStep(
  { mfa }: Pick<Answers['members']['get'], 'mfa'>,
  { issuer, providerName }: Pick<Answers['auth']['config'], 'issuer' | 'providerName'>,
): Step {
  return {
    title: 'Turn on a second factor',
    about: 'An authenticator app or a passkey, besides the password. It counts from your next sign-in.',
    done: mfa,
    go: isBuiltIn(issuer)
      ? { label: 'Open your sign-in', href: '/oidc/account' }
      : { label: `Open ${providerName}`, href: issuer },
  };
}

/** Steps that only an administrator may take, by what is there already. */
export function adminSteps({ organization, clusters, members, invitations, tokens }: Known): Step[] {
  const params = { organization };
  return [
    {
      title: 'Invite somebody',
      about: 'An invited person signs in with their own account and has the rights of their role.',
      done: members > 1 || invitations > 0,
      go: { label: 'Invite', link: { to: '/$organization/members', params, search: { invite: true } } },
    },
    {
      title: 'Connect a cluster',
      about: 'One command on a machine makes it a cluster.',
      done: clusters.some(({ lastHeartbeatAt }) => lastHeartbeatAt !== undefined),
      go: { label: 'Add a cluster', link: { to: '/$organization/clusters', params, search: { add: true } } },
    },
    {
      title: 'Create an API token',
      about: 'The command line and programs call the API with a token.',
      done: tokens > 0,
      go: { label: 'Create a token', link: { to: '/$organization/tokens', params, search: { make: true } } },
    },
    {
      title: 'Run something',
      about: 'A project begins with an image, a repository or a folder. One page follows it to its address.',
      done: clusters.some(({ summary }) => (summary?.workloads ?? 0) > 0),
      go: { label: 'New project', link: { to: '/$organization/new-project', params } },
    },
  ];
}

/** The provider that comes with Ballast lies at the same address, and has a page for one's account. */
function isBuiltIn(issuer: string): boolean {
  return URL.canParse(issuer) && new URL(issuer).pathname === '/oidc' && new URL(issuer).host === location.host;
}
