import { foundTokens } from '../../db/api-tokens/api-tokens.ts';
import { foundClusters } from '../../db/clusters/clusters.ts';
import { foundEnvironments } from '../../db/environments/environments.ts';
import { foundInvitations } from '../../db/invitations/invitations.ts';
import { foundMembers } from '../../db/members/found.ts';
import { foundProjects } from '../../db/projects/projects.ts';
import type { Finder } from '../../db/search/finder.ts';
import { foundServices } from '../../db/services/services.ts';
import { foundTeams } from '../../db/teams/found.ts';
import { foundTrustedIssuers } from '../../db/trusted-issuers/trusted-issuers.ts';
import { foundWorkflows } from '../../db/workflows/actors.ts';
import { foundInstances, foundWorkloads } from '../../db/workloads/found.ts';
import { listApiTokens } from '../api-tokens/operations.ts';
import { listClusters } from '../clusters/operations.ts';
import type { AnyOperation } from '../engine/operation.ts';
import { listEnvironments } from '../environments/operations.ts';
import { listInvitations } from '../invitations/operations.ts';
import { listMembers } from '../members/operations.ts';
import { listProjects } from '../projects/operations.ts';
import { listServices } from '../services/list-services.ts';
import { listTeams } from '../teams/operations.ts';
import { listTrustedIssuers } from '../trusted-issuers/operations.ts';
import { listWorkflows } from '../workflows/operations.ts';
import { listInstances, listWorkloads } from '../workloads/operations.ts';

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
