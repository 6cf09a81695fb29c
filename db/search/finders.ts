import { foundTokens } from '../api-tokens/found.ts';
import { foundClusters } from '../clusters/found.ts';
import { foundInvitations } from '../invitations/found.ts';
import { foundMembers } from '../members/found.ts';
import { foundTeams } from '../teams/found.ts';
import { foundTrustedIssuers } from '../trusted-issuers/found.ts';
import { foundWorkflows } from '../workflows/found.ts';
import { foundInstances, foundWorkloads } from '../workloads/found.ts';
import type { Finder } from './finder.ts';

/** Everything that can be found: a subject registers it here. */
export const finders: readonly Finder[] = [
  foundMembers,
  foundTeams,
  foundClusters,
  foundWorkloads,
  foundInstances,
  foundTokens,
  foundInvitations,
  foundTrustedIssuers,
  foundWorkflows,
];
