import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Role } from '../../domain/roles.ts';
import type { ActorKind } from '../../workflows/descriptors.ts';
import type { LooseningView } from '../guards/loosenings.ts';
import type { Tables } from '../postgres/tables.ts';

export const brokenKinds = [
  'cluster.failed',
  'cluster.lost',
  'cluster.degraded',
  'cluster.awaiting-agent',
  'node.not-ready',
  'disk.pressure',
  'deployment.failed',
  'deployment.warned',
  'guard.loosened',
  'build.failed',
  'build.not-deployed',
  'build.awaits-approval',
  'build.values-changed',
  'build.fewer-variables',
  'workload.failed',
  'workload.degraded',
  'agent-update.failed',
  'agent-update.returned',
  'notification-channel.failing',
  'agent.outdated',
  'workflow.stuck',
] as const;
export type BrokenKind = (typeof brokenKinds)[number];

/** One thing that is broken, or that waits for a person. */
export interface Broken {
  /** The urgent first. */
  rank: number;
  /** Unique among all, the same as long as it is broken. */
  key: string;
  kind: BrokenKind;
  clusterId: string | null;
  clusterName: string | null;
  /** The name of the workload, service, node or release, or of what a workflow is about. */
  name: string | null;
  /** Whose log tells more. */
  instance: string | null;
  workflowId: string | null;
  workflowKind: ActorKind | null;
  channelId: string | null;
  deployment: BrokenDeployment | null;
  build: { id: string; number: number; logLines: number; environmentName: string; projectName: string } | null;
  loosening: LooseningInBrief | null;
  detail: string | null;
  /** When an agent last told of it; null where the control plane knows it of its own. */
  toldAt: Date | null;
  inContact: boolean | null;
}

interface BrokenDeployment {
  id: string;
  releaseNumber: number;
  environmentName: string;
  projectName: string;
  /** Of one that serves: `domain/deployments/answer-faults.ts`. */
  warnings?: readonly unknown[];
}

/** Times as JSON has them. `deployed`: of these so many in all, the newest are named. */
export type LooseningInBrief = Omit<LooseningView, 'organizationId' | 'createdAt' | 'endedAt'> & {
  createdAt: string;
  endedAt: string | null;
  deployed: { id: string; serviceName: string; releaseNumber: number; environmentName: string; projectName: string }[];
  deployedCount: number;
};

/** A kind of broken thing: a select with the columns of `brokenColumns`, bound to the organization. */
export interface BrokenSource {
  role: Role;
  /** `readable`: the kinds of workflows that may be read. */
  select: (organizationId: string, readable: readonly ActorKind[]) => RawBuilder<unknown>;
}

type Column = Exclude<keyof Broken, 'rank' | 'key' | 'kind'>;
const columns: Readonly<Record<Column, string>> = {
  clusterId: 'uuid',
  clusterName: 'text',
  name: 'text',
  instance: 'text',
  workflowId: 'uuid',
  workflowKind: 'text',
  channelId: 'uuid',
  deployment: 'jsonb',
  build: 'jsonb',
  loosening: 'jsonb',
  detail: 'text',
  toldAt: 'timestamptz',
  inContact: 'boolean',
};

/** The columns of a source's select, in order; those it does not give are null. */
export function brokenColumns(
  rank: RawBuilder<unknown>,
  kind: RawBuilder<unknown>,
  of: RawBuilder<unknown>,
  given: Partial<Record<Column, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  const rest = (Object.keys(columns) as Column[]).map(
    (name) => sql`(${given[name] ?? sql`null`})::${sql.raw(columns[name])} as ${sql.ref(name)}`,
  );
  return sql`(${rank})::int as rank, (${kind})::text as kind, (${kind})::text || ' ' || ${of} as key, ${sql.join(rest)}`;
}

/** Beside `place`, a service in an environment: its names, unless something of it is deleted. */
export const placeNames = sql`
  join service on service.organization_id = place.organization_id and service.id = place.service_id
    and service.deletion_id is null
  join environment on environment.organization_id = place.organization_id and environment.id = place.environment_id
    and environment.deletion_id is null
  join project on project.organization_id = place.organization_id and project.id = environment.project_id
    and project.deletion_id is null`;

/** In the order of urgency: those after the position. */
export async function listBroken(
  kysely: Kysely<Tables>,
  organizationId: string,
  { sources, readable }: { sources: readonly BrokenSource[]; readable: readonly ActorKind[] },
  { limit, after }: { limit: number; after?: { rank: number; key: string } | undefined },
): Promise<Broken[]> {
  const all = sql.join(
    sources.map(({ select }) => sql`(${select(organizationId, readable)})`),
    sql` union all `,
  );
  const behind = after === undefined ? sql`true` : sql`(rank, key) > (${after.rank}, ${after.key})`;
  const { rows } = await sql<Broken>`
    select * from (${all}) as broken where ${behind} order by rank, key limit ${limit}
  `.execute(kysely);
  return rows;
}
