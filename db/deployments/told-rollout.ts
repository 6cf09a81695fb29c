import { type Kysely, sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { type PhaseTimes, type RolloutPhase, rolloutPhases } from '../../domain/deployments/states.ts';
import { isId } from '../../domain/ids.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import type { DeploymentRef } from './rollout.ts';

/** The agent's account of a rollout: `observedRollout` of protocol/observed.ts. */
export interface RolloutReport {
  phase: RolloutPhase;
  at: PhaseTimes;
  message?: string | undefined;
  failure?: Record<string, unknown> | undefined;
  /** What visitors of the new release get instead of it: `answerFault` of protocol/observed.ts. */
  warnings?: readonly unknown[] | undefined;
}

interface Looked {
  /** Of the last report, if it is about a rollout. */
  told?: RolloutReport & { id: string; digest: string };
  waitsFor: 'cluster-lost' | 'release-command' | 'health' | null;
  message: string | null;
}

/** What is known of a rollout, and what is waited for if nothing is heard of it. */
export async function toldRollout(
  kysely: Kysely<Tables>,
  { deploymentId, organizationId }: DeploymentRef,
): Promise<Looked> {
  const { rows } = await sql<{ name: string; contact: string | null; heard: Date | null; rollout: JsonObject | null }>`
    select cluster.name, agent.contact, agent.last_heartbeat_at as heard, observed.rollout
    from deployment
    join cluster on cluster.organization_id = deployment.organization_id and cluster.id = deployment.cluster_id
    left join cluster_agent agent on agent.cluster_id = cluster.id
    left join observed_slice observed on observed.cluster_id = cluster.id
      and observed.key = concat('env/', deployment.environment_id, '/', deployment.service_id)
    where deployment.id = ${deploymentId} and deployment.organization_id = ${organizationId}
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) return { waitsFor: null, message: null };
  const told = toldOf(row.rollout);
  if (row.contact === 'connected') return { ...(told && { told }), ...hindrance(told, deploymentId) };
  return {
    ...(told && { told }),
    waitsFor: 'cluster-lost',
    message:
      row.heard === null
        ? `The cluster "${row.name}" waits for its agent: the rollout starts when that is there, or cancel it.`
        : `The cluster "${row.name}" is out of contact since ${row.heard.toISOString()}: the rollout continues when its agent is back, or cancel it.`,
  };
}

/** The reason why an agent that is there has not come further: its release command, or an instance that is not ready. */
function hindrance(told: Looked['told'], deploymentId: string): Pick<Looked, 'waitsFor' | 'message'> {
  const { id, phase, message } = told ?? {};
  if (id !== deploymentId || message === undefined) return { waitsFor: null, message: null };
  return { waitsFor: phase === 'releasing' ? 'release-command' : 'health', message };
}

function toldOf(rollout: JsonObject | null): Looked['told'] {
  if (rollout === null) return undefined;
  const { id, digest, at, message, failure, warnings } = rollout;
  const phase = rolloutPhases.find((one) => one === rollout.phase);
  if (typeof id !== 'string' || typeof digest !== 'string' || phase === undefined) return undefined;
  return {
    ...{ id, digest, phase, at: (at ?? {}) as PhaseTimes },
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof failure === 'object' && failure !== null && !Array.isArray(failure) ? { failure } : {}),
    ...(Array.isArray(warnings) ? { warnings } : {}),
  };
}

/** The same, as a report brings it: already validated. */
export interface ReportedRollout {
  /** Of the deployment. */
  id: string;
  /** `contentDigest` of its release. */
  digest: string;
  phase: RolloutPhase;
  message?: string | undefined;
  failure?:
    | {
        process: string;
        instance?: string | undefined;
        exit?:
          | { code?: number | undefined; signal?: string | undefined; outOfMemory?: boolean | undefined }
          | undefined;
        lines: readonly string[];
      }
    | undefined;
  at: { readonly [Phase in RolloutPhase]?: string | undefined };
}

/**
 * Called within the report's transaction with the rollouts, by the keys of their slices, that came into another phase or
 * failed.
 */
export async function tellRollouts(
  effect: Effect,
  { id: clusterId, organizationId }: ClusterRef,
  rollouts: readonly { key: string; rollout: ReportedRollout }[],
): Promise<void> {
  const news = rollouts.filter(({ rollout: { id, phase, failure } }) => {
    // A claimed deployment is preparing anyway.
    return isId(id) && (phase !== 'preparing' || failure !== undefined);
  });
  if (news.length === 0) return;
  // An agent says what it likes: only the deployment that rolls this slice on this cluster hears of it.
  const { rows } = await sql<{ id: string; key: string }>`
    select id, concat('env/', environment_id, '/', service_id) as key
    from deployment
    where organization_id = ${organizationId} and id = any(${news.map(({ rollout }) => rollout.id)}::uuid[])
      and cluster_id = ${clusterId} and finished_at is null
  `.execute(effect.kysely);
  const keys = new Map(rows.map(({ id, key }) => [id, key]));
  for (const { key, rollout } of news) {
    if (keys.get(rollout.id) !== key) continue;
    const body = JSON.parse(JSON.stringify(rollout)) as JsonObject;
    effect.tell({ to: actorId('deployment', rollout.id), message: 'rollout', organizationId, body });
  }
}
