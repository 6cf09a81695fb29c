import { foundTokens } from '../../db/api-tokens/found.ts';
import { foundClusters } from '../../db/clusters/found.ts';
import { foundEnvironments } from '../../db/environments/found.ts';
import { foundInvitations } from '../../db/invitations/found.ts';
import { foundMembers } from '../../db/members/found.ts';
import { foundProjects } from '../../db/projects/found.ts';
import type { Finder } from '../../db/search/finder.ts';
import { foundServices } from '../../db/services/found.ts';
import { foundTeams } from '../../db/teams/found.ts';
import { foundTrustedIssuers } from '../../db/trusted-issuers/found.ts';
import { foundWorkflows } from '../../db/workflows/found.ts';
import { foundInstances, foundWorkloads } from '../../db/workloads/found.ts';
import { listApiTokens } from '../api-tokens/list-api-tokens.ts';
import { listClusters } from '../clusters/list-clusters.ts';
import type { AnyOperation } from '../engine/operation.ts';
import { listEnvironments } from '../environments/list-environments.ts';
import { listInvitations } from '../invitations/list-invitations.ts';
import { listMembers } from '../members/list-members.ts';
import { listProjects } from '../projects/list-projects.ts';
import { listServices } from '../services/list-services.ts';
import { listTeams } from '../teams/list-teams.ts';
import { listTrustedIssuers } from '../trusted-issuers/list-trusted-issuers.ts';
import { listWorkflows } from '../workflows/list-workflows.ts';
import { listInstances } from '../workloads/list-instances.ts';
import { listWorkloads } from '../workloads/list-workloads.ts';

/** A kind of thing, and the operation that lists it: whoever may call that may find the thing. */
export interface Findable {
  finder: Finder;
  listedBy: AnyOperation;
}

/** Everything that can be found: a subject registers it here. */
export const findable: readonly Findable[] = [
  { finder: foundProjects, listedBy: listProjects },
  { finder: foundEnvironments, listedBy: listEnvironments },
  { finder: foundServices, listedBy: listServices },
  { finder: foundMembers, listedBy: listMembers },
  { finder: foundTeams, listedBy: listTeams },
  { finder: foundClusters, listedBy: listClusters },
  { finder: foundWorkloads, listedBy: listWorkloads },
  { finder: foundInstances, listedBy: listInstances },
  { finder: foundTokens, listedBy: listApiTokens },
  { finder: foundInvitations, listedBy: listInvitations },
  { finder: foundTrustedIssuers, listedBy: listTrustedIssuers },
  { finder: foundWorkflows, listedBy: listWorkflows },
];
