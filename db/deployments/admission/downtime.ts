import { type Kysely, sql } from 'kysely';
import { downtimeSentence, isAccepted, isReplaced, type Stop, stopsOf } from '../../../domain/deployments/downtime.ts';
import { Problem } from '../../../domain/problems.ts';
import type { ServiceSettings } from '../../../domain/services/settings.ts';
import type { EnvironmentRef } from '../../change-sets/environment-ref.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';

/** A service that is to be rolled in an environment. */
export interface Rolled {
  serviceId: string;
  settings: ServiceSettings;
  /** Whether it replaces instances of the live release: by the number that the live one runs as, or known otherwise. */
  replaces: boolean | { runsAs: number };
}

/** A service with processes that end before their successors start. */
export interface Down {
  serviceId: string;
  name: string;
  stops: Stop[];
  moved: boolean;
  /** Somebody accepted it before, and the same volumes are mounted. */
  accepted: boolean;
  /** Volumes for which it was accepted; those that are mounted no more are dropped when a release goes live. */
  remembered: string[];
}

/** Which of these services would be down for a moment. */
export async function downtimeOf(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  rolled: readonly Rolled[],
): Promise<Down[]> {
  const found: Down[] = [];
  for (const { serviceId, settings, replaces } of rolled) {
    const live = await liveAt(kysely, { organizationId, environmentId, serviceId });
    if (live === undefined) continue;
    const { moved, runsAs, accepted, name } = live;
    const stops = stopsOf(live.settings, settings);
    const replaced = typeof replaces === 'boolean' ? replaces : replaces.runsAs !== runsAs;
    if (stops.length === 0 || !(replaced || moved)) continue;
    const known = !moved && isAccepted(stops, accepted);
    found.push({ serviceId, name, stops, moved, accepted: known, remembered: accepted });
  }
  return found;
}

/** Whether a draft would replace instances of a live release, as far as can be seen without its secrets. */
export async function isReplacedAt(
  kysely: Kysely<Tables>,
  place: EnvironmentRef & { serviceId: string },
  settings: ServiceSettings,
): Promise<boolean> {
  const live = await liveAt(kysely, place);
  if (live === undefined) return false;
  return isReplaced(live.settings, settings) || live.variablesDiffer;
}

/** Refuses what nobody has accepted, and remembers what somebody has. Answers whether any of it was asked for and accepted. */
export async function acceptDowntime(
  effect: Effect,
  { organizationId, environmentId }: EnvironmentRef,
  down: readonly Down[],
  accepted: boolean,
  advice?: string,
): Promise<boolean> {
  const open = down.filter((one) => !one.accepted);
  if (open.length > 0 && !accepted) {
    throw new Problem('downtime-not-accepted', downtimeSentence(open, advice), {
      downtime: open.map(({ serviceId, name, stops }) => ({
        serviceId,
        serviceName: name,
        processes: stops.map(({ process, volumes }) => ({ name: process, volumes: volumes.map((one) => one.name) })),
      })),
    });
  }
  for (const { serviceId, stops, remembered } of open) {
    const volumes = stops.flatMap((stop) => stop.volumes.map(({ id }) => id));
    await tenant(effect.kysely, organizationId)
      .updateTable('environment_service')
      .set({ downtime_accepted: [...new Set([...remembered, ...volumes])] })
      .where('environment_id', '=', environmentId)
      .where('service_id', '=', serviceId)
      .execute();
  }
  return accepted || down.length > 0;
}

interface Live {
  name: string;
  settings: ServiceSettings;
  runsAs: number;
  accepted: string[];
  moved: boolean;
  variablesDiffer: boolean;
}

/** The live release of a service that runs there. Variables differ where some were applied since, or others were frozen. */
async function liveAt(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: EnvironmentRef & { serviceId: string },
): Promise<Live | undefined> {
  const { rows } = await sql<Live>`
    select service.name, release.content -> 'settings' as settings, release.runs_as as "runsAs",
      place.downtime_accepted as accepted,
      coalesce(deployment.cluster_id <> environment.cluster_id, false) as moved,
      coalesce((select array_agg(key order by key) from variable
        where variable.organization_id = place.organization_id and variable.environment_id = place.environment_id
          and variable.service_id = place.service_id and variable.build_time is distinct from 'only'), '{}')
      <> (select coalesce(array_agg(key order by key), '{}') from unnest(release.variable_keys) as frozen (key))
      or exists (select from variable
        where variable.organization_id = place.organization_id and variable.environment_id = place.environment_id
          and variable.service_id = place.service_id and variable.build_time is distinct from 'only'
          and variable.updated_at > place.live_at) as "variablesDiffer"
    from environment_service place
    join service on service.organization_id = place.organization_id and service.id = place.service_id
    join environment on environment.organization_id = place.organization_id and environment.id = place.environment_id
    join release on release.organization_id = place.organization_id and release.id = place.live_release_id
    left join deployment on deployment.organization_id = place.organization_id and deployment.id = place.live_deployment_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
      and place.service_id = ${serviceId} and not place.suspended
  `.execute(kysely);
  return rows[0];
}
