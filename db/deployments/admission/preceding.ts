import type { Admission } from '../../../domain/deployments/arbiter-types.ts';
import type { Effect } from '../../engine/effect.ts';
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
