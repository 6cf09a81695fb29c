import type { Kysely } from 'kysely';
import type { Admission } from '../../../domain/deployments/arbiter-types.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { AdmissionRequest } from './requests.ts';
import type { Loaded, ProjectRef } from './snapshot.ts';

/** The names of the services whose deployments come before one, as far as these were open before the event. */
export type Preceding = (deploymentId: string) => readonly string[];

const none: Preceding = () => [];

/** Names for those that wait for others or end with them; nothing is asked where nobody does. */
export async function precedingNames(
  { kysely }: Effect,
  { organizationId }: ProjectRef,
  { deployments }: Loaded,
  { insert, update }: Admission,
  request: AdmissionRequest,
): Promise<Preceding> {
  const fresh = request.event === 'create' ? request.deployments : [];
  const services = new Map([...deployments, ...fresh].map(({ id, serviceId }) => [id, serviceId]));
  const before = new Map([...deployments, ...insert].map(({ id, after = [] }) => [id, after]));
  for (const { id, after } of update) if (after !== undefined) before.set(id, after);
  const concerned = [...insert, ...update].flatMap(({ id }) => before.get(id) ?? []);
  if (concerned.length === 0) return none;
  for (const [id, serviceId] of await built(kysely, organizationId, concerned, services)) services.set(id, serviceId);
  const ids = [...new Set(concerned.flatMap((id) => services.get(id) ?? []))];
  if (ids.length === 0) return none;
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => (before.get(id) ?? []).flatMap((one) => names.get(services.get(one) ?? '') ?? []).toSorted();
}

/** The services of deployments that are still to come: each has the id of its build. */
async function built(
  kysely: Kysely<Tables>,
  organizationId: string,
  concerned: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<[string, string][]> {
  const unknown = concerned.filter((id) => !known.has(id));
  if (unknown.length === 0) return [];
  const rows = await tenant(kysely, organizationId)
    .selectFrom('build')
    .select(['id', 'service_id as serviceId'])
    .where('id', 'in', unknown)
    .execute();
  return rows.map(({ id, serviceId }) => [id, serviceId]);
}
