import { sql } from 'kysely';
import { rolloutKey } from '../../domain/deployments/rollout-key.ts';
import type { Pieces, Reached } from '../../domain/references/frozen-references.ts';
import { listeningOf } from '../../domain/references/names.ts';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
import { withFile } from '../../domain/repository-config/overlay.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';
import { allocatePorts } from '../workloads/internal-ports.ts';

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
