import type { Delivery } from '../../../domain/git/webhooks/delivery.ts';
import { Problem } from '../../../domain/problems.ts';
import { requestBuild } from '../../builds/request-build.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { noteDelivery } from '../connections.ts';
import { commitOf, isBuiltBy, type PushedPlace, placesOf } from './pushed-places.ts';
import type { ToldConnection } from './told-connection.ts';

/** What a message led to. */
export interface Taken {
  builds: { id: string; service: string; environment: string }[];
  /** Why there is no build, or not one of each service that the push is of. */
  ignored?: string;
}

/** One push asks for no more builds than that: a repository with more services is built by hand. */
export const mostBuilds = 50;

/**
 * Asks for the builds that a message leads to, once: its name is written in the same transaction. `defaultBranch`: of the
 * repository, empty where nobody says it. `outdated`: the branch has gone on, so that another message tells of its head.
 */
export async function takeDelivery(
  effect: Effect,
  connection: ToldConnection,
  name: string,
  delivery: Delivery,
  { defaultBranch, outdated }: { defaultBranch: string; outdated?: string | undefined },
): Promise<Taken> {
  const { organizationId, id } = connection;
  if (!(await isFirst(effect, connection, name))) return { builds: [], ignored: 'this message was taken before' };
  const taken = outdated === undefined ? await build() : { builds: [], ignored: outdated };
  await noteDelivery(effect, organizationId, id, statusOf(delivery, taken));
  return taken;

  async function build(): Promise<Taken> {
    const { kind, why, repository, ref } = delivery;
    if (kind === 'ping') return { builds: [], ignored: 'a ping builds nothing; the webhook is set up' };
    if (kind === 'deleted') return { builds: [], ignored: `${ref} was deleted` };
    if (kind === 'other') return { builds: [], ignored: why };
    const places = await placesOf(effect.kysely, connection, repository);
    if (places.length === 0) return { builds: [], ignored: `no applied service is built from ${repository}` };
    const pushed = places.filter((place) => isBuiltBy(place, delivery, defaultBranch));
    if (pushed.length === 0) return { builds: [], ignored: `no service is built by ${ref} of ${repository}` };
    // Their names are nothing to those who read of this connection.
    const allowed = pushed.filter((place) => place.allowed);
    const left = pushed.length - allowed.length;
    if (left === 0) return await request(allowed);
    const leaving = `${left === 1 ? '1 service is' : `${left} services are`} of projects that may not use this connection; add their projects to it`;
    const { builds, ignored } = await request(allowed);
    return { builds, ignored: ignored === undefined ? leaving : `${leaving}; ${ignored}` };
  }

  async function request(pushed: readonly PushedPlace[]): Promise<Taken> {
    const builds: Taken['builds'] = [];
    const refused =
      pushed.length > mostBuilds ? [`one push builds at most ${mostBuilds} services: build the others by hand`] : [];
    for (const place of pushed.slice(0, mostBuilds)) {
      const { projectId, environmentId, serviceId, service, environment, autoDeploy } = place;
      try {
        const wanted = { organizationId, projectId, environmentId, serviceId, actorUserId: undefined };
        const source = commitOf(connection, place, delivery);
        const trigger = delivery.kind === 'tag' ? 'tag' : 'push';
        builds.push({
          // A tag may name any commit, whoever protects the branch.
          id: await requestBuild(effect, {
            ...{ ...wanted, source, trigger, deploys: autoDeploy },
            connected: trigger === 'push',
          }),
          service,
          environment,
        });
      } catch (error) {
        // A service that was deleted meanwhile, or a full queue, takes no build from the others.
        if (!(error instanceof Problem)) throw error;
        refused.push(`${service} in ${environment}: ${error.message}`);
      }
    }
    return refused.length === 0 ? { builds } : { builds, ignored: refused.slice(0, 10).join('; ') };
  }
}

/** Two at once: the second waits here for the first one's transaction. */
async function isFirst({ kysely }: Effect, { id, organizationId }: ToldConnection, name: string): Promise<boolean> {
  const written = await tenant(kysely, organizationId)
    .insertInto('git_delivery')
    .values({ git_connection_id: id, name })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst();
  return written !== undefined;
}

function statusOf({ kind, repository, ref }: Delivery, { builds, ignored }: Taken): string {
  if (kind === 'ping') return 'received: ping';
  const what = ref === '' ? 'message' : `${ref.replace(/^refs\/(?:heads|tags)\//, '')} of ${repository}`;
  if (builds.length === 0) return `ignored: ${what}: ${ignored ?? 'nothing to do'}`;
  return `received: ${what}, ${builds.length === 1 ? '1 build' : `${builds.length} builds`}`;
}
