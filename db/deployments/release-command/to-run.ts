import { sql } from 'kysely';
import { runsReleaseCommand } from '../../../domain/deployments/release-command.ts';
import type { DeploymentKind, DeploymentStage } from '../../../domain/deployments/states.ts';
import type { ToRoll } from '../../../domain/deployments/workload-of.ts';
import type { ReleaseContent } from '../../../domain/services/settings.ts';
import type { Effect } from '../../engine/effect.ts';

type ReleaseCommand = ToRoll['rollout']['releaseCommand'];

interface Rolled {
  deployment_id: string;
  runs_as: string;
  content: ReleaseContent;
}

/** The release command of a deployment, as its agent is to run it; nothing where there is none, or it is left out. */
export async function releaseCommandToRun(
  { kysely }: Effect,
  organizationId: string,
  { deployment_id: id, runs_as: runsAs, content }: Rolled,
): Promise<ReleaseCommand> {
  // Releases of earlier versions may lack settings, which is said where they are put in form.
  const { releaseCommand: command = [], releaseCommandTimeoutSeconds: timeoutSeconds = 600 } =
    (content as Partial<ReleaseContent>).settings ?? {};
  if (command.length === 0) return undefined;
  const { rows } = await sql<{ as: DeploymentKind; fromStage: DeploymentStage | null; liveAs: string | null }>`
    with recursive line as (
      select kind, rerun_of, 0 as depth from deployment where organization_id = ${organizationId} and id = ${id}
      union all
      select before.kind, before.rerun_of, line.depth + 1
      from deployment before join line on before.id = line.rerun_of where before.organization_id = ${organizationId}
    )
    select (select kind from line order by depth desc limit 1) as "as", asked.from_stage as "fromStage",
      live.runs_as as "liveAs"
    from deployment asked
    left join environment_service place on place.organization_id = asked.organization_id
      and place.environment_id = asked.environment_id and place.service_id = asked.service_id
    left join deployment live on live.organization_id = asked.organization_id and live.id = place.live_deployment_id
    where asked.organization_id = ${organizationId} and asked.id = ${id}
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) return undefined;
  const asked = { as: row.as, fromStage: row.fromStage ?? undefined, isLive: row.liveAs === runsAs };
  return runsReleaseCommand(asked) ? { command, timeoutSeconds } : undefined;
}
