import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';

/**
 * Settings of before name processes whose definitions may have been deleted since: they are defined again. A process of the
 * same name that was created since takes the place of the old one.
 */
export async function reviveProcesses(
  effect: Effect,
  { organizationId, serviceId }: { organizationId: string; serviceId: string },
  settings: ServiceSettings,
): Promise<ServiceSettings> {
  const own = tenant(effect.kysely, organizationId);
  const processes: ServiceSettings['processes'] = {};
  for (const [id, process] of Object.entries(settings.processes)) {
    const { name, ...definition } = process;
    await own
      .insertInto('service_process')
      .values({ id, service_id: serviceId, name, definition })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const row = await own
      .selectFrom('service_process')
      .select('id')
      .where('service_id', '=', serviceId)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    processes[row.id] = process;
  }
  return { ...settings, processes };
}
