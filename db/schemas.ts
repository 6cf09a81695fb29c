import { agentUpdates } from './agent-updates/index.ts';
import { agents } from './agents/index.ts';
import { apiTokens } from './api-tokens/index.ts';
import { approvals } from './approvals/index.ts';
import { builds } from './builds/index.ts';
import { changeSets } from './change-sets/index.ts';
import { clusters } from './clusters/index.ts';
import { commands } from './commands/index.ts';
import { deletions } from './deletions/index.ts';
import { deployments } from './deployments/index.ts';
import { engine } from './engine/index.ts';
import { environments } from './environments/index.ts';
import { gitConnections } from './git-connections/index.ts';
import { guards } from './guards/index.ts';
import { identityProvider } from './identity-provider/index.ts';
import { installation } from './installation/index.ts';
import { invitations } from './invitations/index.ts';
import { keys } from './keys/index.ts';
import { logs } from './logs/index.ts';
import { members } from './members/index.ts';
import { notificationChannels } from './notification-channels/index.ts';
import { notifications } from './notifications/index.ts';
import { organizations } from './organizations/index.ts';
import { projects } from './projects/index.ts';
import { registry } from './registry/index.ts';
import { registryCredentials } from './registry-credentials/index.ts';
import { releases } from './releases/index.ts';
import { services } from './services/index.ts';
import { signIn } from './sign-in/index.ts';
import { teams } from './teams/index.ts';
import { trustedIssuers } from './trusted-issuers/index.ts';
import { users } from './users/index.ts';
import { workloads } from './workloads/index.ts';

/** Every subject that has tables, besides the engine's own. */
const subjects = [
  installation,
  deletions,
  organizations,
  users,
  signIn,
  members,
  invitations,
  apiTokens,
  trustedIssuers,
  teams,
  engine,
  keys,
  identityProvider,
  clusters,
  agents,
  workloads,
  commands,
  logs,
  agentUpdates,
  projects,
  environments,
  services,
  registry,
  gitConnections,
  releases,
  changeSets,
  approvals,
  guards,
  deployments,
  builds,
  registryCredentials,
  notifications,
  notificationChannels,
] as const;

type Entity = (typeof subjects)[number][number];

/** Every entity there is. The tables' types and the migrations are made from this list. */
export const schemas: readonly Entity[] = (subjects as readonly (readonly Entity[])[]).flat();
