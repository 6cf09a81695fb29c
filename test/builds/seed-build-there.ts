import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { BuildState } from '../../domain/builds/states.ts';
import type { SeededPlace } from '../seeds/seed-place.ts';

interface BuildThere {
  number: number;
  state: BuildState;
  message?: string;
  release_error?: string;
  release_id?: string;
  variables_digest?: string;
  started_at?: Date;
  /** The findings in its source. */
  detection?: object;
}

/** A build of a service in its environment, newer than those before. Answers its id. */
export async function seedBuildThere(
  database: Database,
  { organizationId, projectId, environmentId, serviceId, clusterId }: SeededPlace,
  { state, detection, ...build }: BuildThere,
): Promise<string> {
  const id = uuid();
  const over = state !== 'queued' && state !== 'running';
  await tenant(database.kysely, organizationId)
    .insertInto('build')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, service_id: serviceId, cluster_id: clusterId },
      ...{ trigger: 'manual', state, finished_at: over ? new Date() : null, log_lines: 7, ...build },
      ...(detection === undefined ? {} : { builder: sql<never>`${JSON.stringify({ engine: '', detection })}::jsonb` }),
      ...{ requested_by_kind: 'user', requested_by_id: 'ada', requested_by_name: 'Ada' },
    })
    .execute();
  return id;
}
