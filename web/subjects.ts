import type { HintKind } from '../domain/hints.ts';
import { type NavigationEntry, registerPlace } from './frame/places.ts';
import { organizationScope } from './frame/scopes/organization-scope.tsx';
import { registerScope, type Scope } from './frame/scopes/scope.ts';
import { type Affected, registerAffected } from './live/affected.ts';
import * as account from './pages/account/index.tsx';
import * as agents from './pages/agents/index.tsx';
import * as apiTokens from './pages/api-tokens/index.tsx';
import * as approvals from './pages/approvals/index.tsx';
import * as auditLog from './pages/audit-log/index.tsx';
import * as builds from './pages/builds/index.tsx';
import * as clusters from './pages/clusters/index.tsx';
import * as deletions from './pages/deletions/index.tsx';
import * as deployments from './pages/deployments/index.tsx';
import * as environments from './pages/environments/index.tsx';
import * as events from './pages/events/index.tsx';
import * as gitConnections from './pages/git-connections/index.tsx';
import * as home from './pages/home/index.tsx';
import * as instances from './pages/instances/index.tsx';
import * as invitations from './pages/invitations/index.tsx';
import * as members from './pages/members/index.tsx';
import * as notificationChannels from './pages/notification-channels/index.tsx';
import * as notifications from './pages/notifications/index.tsx';
import * as projects from './pages/projects/index.tsx';
import * as services from './pages/services/index.tsx';
import * as settings from './pages/settings/index.tsx';
import * as teams from './pages/teams/index.tsx';
import * as trustedIssuers from './pages/trusted-issuers/index.tsx';
import * as workflows from './pages/workflows/index.tsx';

/** Every subject of the console, in the order of the navigation. */
const subjects = [
  home,
  notifications,
  projects,
  environments,
  services,
  deployments,
  builds,
  approvals,
  workflows,
  clusters,
  instances,
  events,
  agents,
  deletions,
  members,
  invitations,
  teams,
  apiTokens,
  trustedIssuers,
  gitConnections,
  notificationChannels,
  auditLog,
  settings,
  account,
] as const;
type Listed = (typeof subjects)[number];

/** All that a subject can tell in its `index.tsx`. */
interface Subject {
  place?: NavigationEntry;
  scope?: Scope;
  affected?: Partial<Affected<HintKind>>;
}

type KeysOf<Field extends string, One = Listed> = One extends Record<Field, infer Table> ? keyof Table : never;
type Missing = Exclude<HintKind, KeysOf<'affected'>>;
/** A hint that touches no query does not compile: the error names it. */
({}) satisfies Record<Missing, never>;

registerScope(organizationScope);
for (const { place, scope, affected } of subjects as readonly Subject[]) {
  if (place !== undefined) registerPlace(place);
  if (scope !== undefined) registerScope(scope);
  if (affected !== undefined) registerAffected(affected);
}

type RouteOf<Field extends string, One = Listed> = One extends Record<Field, readonly (infer Route)[]> ? Route : never;

export const organizationPages: readonly RouteOf<'routes'>[] = subjects.flatMap(
  (subject): readonly RouteOf<'routes'>[] => ('routes' in subject ? subject.routes : []),
);
export const personPages: readonly RouteOf<'personRoutes'>[] = subjects.flatMap(
  (subject): readonly RouteOf<'personRoutes'>[] => ('personRoutes' in subject ? subject.personRoutes : []),
);
