import { type Kysely, sql } from 'kysely';
import type { VariableValue } from '../../domain/change-sets/staging.ts';
import { rolloutKey } from '../../domain/deployments/workload-of.ts';
import { Problem } from '../../domain/problems.ts';
import { type FrozenVariable, frozen, valuesOf } from '../../domain/references/frozen.ts';
import type { Pieces, Reached } from '../../domain/references/frozen-references.ts';
import { nodeOf, type References } from '../../domain/references/graph.ts';
import { listeningOf } from '../../domain/references/names.ts';
import { CannotResolve, type Resolved, Resolver, type WrittenValue } from '../../domain/references/resolve.ts';
import { canonical } from '../../domain/releases/canonical.ts';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
import { withFile } from '../../domain/repository-config/overlay.ts';
import type { ReleaseContent, ServiceSettings } from '../../domain/services/settings.ts';
import { appliedSettings, appliedVariables } from '../change-sets/applied.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';
import { allocatePorts } from '../workloads/internal-ports.ts';
import { referencesWith } from './referring.ts';

export interface ResolvedVariables {
  variables: Map<string, FrozenVariable>;
  /** The processes whose addresses are put in. */
  reached: Reached[];
}

type Values = ReadonlyMap<string, ReadonlyMap<string, VariableValue>>;

/** The services whose values are needed for those of these services; shared ones are of the service `''`. */
export function scopesFor(references: References, serviceIds: readonly string[]): string[] {
  const own = new Set(serviceIds);
  const from = [...references.referring].filter(({ scope }) => own.has(scope));
  return [...new Set([...serviceIds, ...references.reached(from).variables.map(({ scope }) => scope)])];
}

/** One that leads nowhere is told and left out, where `without` is given; otherwise it is refused. */
interface SeenBy {
  seenBy?: 'releases' | 'builds';
  without?: (key: string, why: string) => void;
}

/** The variables of these services with the values that they refer to put in. `values`: of all services that are needed. */
export function frozenFor(
  references: References,
  values: Values,
  serviceIds: readonly string[],
  { seenBy = 'releases', without }: SeenBy = {},
): Map<string, ResolvedVariables> {
  const written = new Map<string, WrittenValue>();
  for (const [scope, own] of values) {
    for (const [key, value] of own) {
      written.set(nodeOf({ scope, key }), { ...value, refers: references.find({ scope, key })?.refers });
    }
  }
  const resolver = new Resolver(references, written);
  return new Map(
    serviceIds.map((scope) => {
      const own = [...(values.get(scope) ?? new Map<string, VariableValue>())].filter(
        ([, { buildTime }]) => buildTime !== (seenBy === 'releases' ? 'only' : 'no'),
      );
      const variables = own.flatMap(([key, value]): [string, FrozenVariable][] => {
        const resolved = resolve(resolver, { scope, key }, without);
        if (resolved === undefined) return [];
        const { pieces, secret } = resolved;
        const isRead = references.find({ scope, key }) !== undefined;
        return [[key, { pieces, secret, ...(isRead ? { written: value } : {}) }]];
      });
      return [scope, { variables: new Map(variables), reached: reachedBy(references, variables) }];
    }),
  );
}

function resolve(
  resolver: Resolver,
  variable: { scope: string; key: string },
  without: SeenBy['without'],
): Resolved | undefined {
  try {
    return resolver.resolve(variable);
  } catch (error) {
    if (!(error instanceof CannotResolve)) throw error;
    if (without !== undefined) return void without(variable.key, error.message);
    throw new Problem('conflict', `${error.message}. Change its value, then apply again.`);
  }
}

function reachedBy({ names }: References, variables: readonly [string, FrozenVariable][]): Reached[] {
  const reached = new Map<string, Reached>();
  for (const [, { pieces }] of variables) {
    for (const piece of pieces) {
      if (typeof piece === 'string') continue;
      const { serviceId, processId } = piece;
      const one = names.listening(serviceId).find(({ id }) => id === processId);
      if (one !== undefined) reached.set(processId, { serviceId, ...one });
    }
  }
  return [...reached.values()];
}

interface Late {
  environmentId: string;
  late: ReadonlyMap<string, Pieces>;
  reached: Readonly<Record<string, Reached>>;
  /** With Docker names lead to processes, else ports of the loopback. */
  docker: boolean;
}

/** The values into which addresses are put, as they are today on this cluster: they stay the same over releases. */
export async function lateValues(
  effect: Effect,
  cluster: ClusterRef,
  { environmentId, late, reached, docker }: Late,
): Promise<Record<string, string>> {
  if (late.size === 0) return {};
  const today = await processesToday(effect, cluster.organizationId, environmentId, Object.values(reached));
  const addresses = new Map<string, { HOST: string; PORT: string; URL: string }>();
  for (const [processId, { slug, serviceId, kind, name, port }] of today) {
    const own = docker
      ? { host: `${name}.${slug}`, at: port }
      : {
          host: '127.0.0.1',
          at: (await allocatePorts(effect, cluster, rolloutKey(environmentId, serviceId), [name])).get(name) ?? port,
        };
    const URL = `${kind === 'http' ? 'http' : 'tcp'}://${own.host}:${own.at}`;
    addresses.set(processId, { HOST: own.host, PORT: String(own.at), URL });
  }
  return Object.fromEntries(
    [...late].map(([key, pieces]) => {
      const texts = pieces.map((piece) =>
        typeof piece === 'string' ? piece : (addresses.get(piece.processId)?.[piece.part] ?? ''),
      );
      return [key, texts.join('')];
    }),
  );
}

interface Today {
  serviceId: string;
  slug: string;
  settings: ServiceSettings | null;
  /** Of what serves: its ports are those of its file. */
  file: FrozenConfig | null;
}

/** A process that has left the environment is as it was when the release was made. */
async function processesToday(
  { kysely }: Effect,
  organizationId: string,
  environmentId: string,
  reached: readonly Reached[],
): Promise<Map<string, Reached & { slug: string }>> {
  const { rows } = await sql<Today>`
    select service.id as "serviceId", service.slug, place.settings, live.content -> 'file' as file from service
    left join environment_service place on place.organization_id = service.organization_id
      and place.service_id = service.id and place.environment_id = ${environmentId}
    left join release live on live.organization_id = place.organization_id and live.id = place.live_release_id
    where service.organization_id = ${organizationId} and service.id = any(${reached.map((one) => one.serviceId)}::uuid[])
  `.execute(kysely);
  const services = new Map(rows.map((row) => [row.serviceId, row]));
  return new Map(
    reached.map((one) => {
      const service = services.get(one.serviceId);
      const now =
        service?.settings &&
        listeningOf(withFile(service.settings, service.file ?? undefined)).find(({ id }) => id === one.id);
      return [one.id, { ...one, ...now, slug: service?.slug ?? '' }];
    }),
  );
}

interface Release extends EnvironmentRef {
  serviceId: string;
  content: ReleaseContent;
  /** As they are sealed with it. */
  secrets: Readonly<Record<string, string>>;
}

/** Whether the variables of a release, written as they are applied now, lead to other values than it was made of. */
export async function isOutgrown(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  { serviceId, content, secrets, ...place }: Release,
): Promise<boolean> {
  if (content.references === undefined) return false;
  const [references] = await referencesWith(kysely, place, {
    settings: await appliedSettings(kysely, place),
    items: [],
  });
  // References that lead nowhere, or in a circle, are refused by name when somebody applies.
  if (references.dangling().length > 0 || references.circle().length > 0) return false;
  const values = await appliedVariables(kysely, keyring, place, scopesFor(references, [serviceId]));
  try {
    const { variables = new Map(), reached = [] } = frozenFor(references, values, [serviceId]).get(serviceId) ?? {};
    const { secrets: sealed, ...now } = frozen(variables, reached);
    return textOf(now, sealed) !== textOf(content, secrets);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function textOf(content: Pick<ReleaseContent, 'variables' | 'references'>, sealed: Readonly<Record<string, string>>) {
  const { variables, secrets, late } = valuesOf(content, sealed);
  return canonical({ variables, secrets, late: Object.fromEntries(late), reached: content.references?.reached ?? {} });
}
