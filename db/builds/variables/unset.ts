import { type Kysely, sql } from 'kysely';
import { type Asking, type UnsetVariables, unsetVariables } from '../../../domain/deployments/unset-variables.ts';
import type { JsonValue } from '../../postgres/json.ts';
import type { Tables } from '../../postgres/tables.ts';

interface Row {
  isLive: boolean;
  detection: JsonValue;
  set: string[];
}

/** The variables that the source of a deployment's image asks for, and that its release has not; undefined: none, or nobody knows. */
export async function unsetOf(
  kysely: Kysely<Tables>,
  { deploymentId, organizationId }: { deploymentId: string; organizationId: string },
): Promise<UnsetVariables | undefined> {
  const { rows } = await sql<Row>`
    select release.id <> deployment.release_id as "isLive", build.builder -> 'detection' as detection,
      release.variable_keys as set
    from deployment
    left join environment_service place on place.organization_id = ${organizationId}
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
    join release on release.organization_id = ${organizationId}
      and release.id in (deployment.release_id, place.live_release_id)
    join build on build.organization_id = ${organizationId} and build.id = release.build_id
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId}
  `.execute(kysely);
  const release = rows.find(({ isLive }) => !isLive);
  const live = rows.find(({ isLive }) => isLive);
  return release === undefined ? undefined : unsetVariables(asking(release), live && asking(live));
}

/** As the agent's report was parsed when it came; one of before says nothing of a template. */
function asking({ detection, set }: Row): Asking {
  const { envTemplate = '', requiredVariables = [] } = (detection ?? {}) as {
    envTemplate?: string;
    requiredVariables?: string[];
  };
  return { path: envTemplate, required: requiredVariables, set };
}
