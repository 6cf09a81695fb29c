import { listClusterEvents } from './list-cluster-events.ts';
import { listOrganizationClusterEvents } from './list-organization-cluster-events.ts';

export const clusterEvents = { events: listClusterEvents, organizationEvents: listOrganizationClusterEvents };
