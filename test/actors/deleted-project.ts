import { findDeletedThing } from '../../db/deletions/things/deleted-things.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { findProject } from '../../db/projects/projects.ts';
import { deleteProject } from '../../db/projects/removal.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { seedOrganization } from '../seeds/seed.ts';
import { seedPlace } from '../seeds/seed-place.ts';
import { tester } from './actors.ts';

/** A project with two volumes on a cluster, whose retention has passed for PostgreSQL's clock. */
export async function deletedProject(database: Database) {
  const organizationId = await seedOrganization(database);
  const organization = database.kysely.updateTable('organization').set({ deleted_retention_hours: 0 });
  await organization.where('id', '=', organizationId).execute();
  const place = await seedPlace(database, organizationId);
  const { projectId, clusterId } = place;
  for (const { serviceId, processId } of [place, await seedPlace(database, organizationId, { beside: place })]) {
    const of = { service_id: serviceId, process_id: processId };
    await tenant(database.kysely, organizationId)
      .insertInto('volume')
      .values({ ...of, id: crypto.randomUUID(), name: 'data', mount_path: '/data', size_bytes: 1 })
      .execute();
  }
  const project = await findProject(database.kysely, organizationId, projectId);
  if (project === undefined) throw new Error('The project is not there.');
  await effect(database, tester, (removing) => deleteProject(removing, project, { wait: false }));
  const found = await findDeletedThing(database.kysely, organizationId, 'project', projectId);
  const deletionId = found?.deletionId ?? '';
  return { organizationId, deletionId, actor: actorId('deletion', deletionId), thing: projectId, clusterId };
}
