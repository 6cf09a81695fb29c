import { sql } from 'kysely';
import { expect } from 'vitest';
import { definedSettings } from '../../db/change-sets/applied.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { Answered, Credential, RunningApi, Seeded } from '../installation/running-api.ts';

export interface MadeService {
  service: { id: string; projectId: string; slug: string; stagedIn?: object; deployAfter: object[] };
  processes: { id: string; name: string }[];
  defaultProcessCreated: boolean;
  environmentId: string;
  changeSet: { changeSet: { id: string }; items: object[] };
}

interface MadeProject {
  id: string;
  slug: string;
  production: string;
  staging: string;
}

/** Projects and services made over the API, and applied as far as rows say it. */
export function madeProjects(parts: () => { api: RunningApi; as: Credential }, seeded?: () => Seeded) {
  const call = (method: string, path: string, body?: unknown): Promise<Answered> => {
    const { api, as } = parts();
    return api.call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) });
  };
  const project = async (name = 'Shop'): Promise<MadeProject> => {
    const { api, as } = parts();
    const made = await api.call('POST', '/api/v1/projects', { as: seeded?.().tokens.admin ?? as, body: { name } });
    expect(made.status, made.text).toBe(201);
    const { project, environments } = made.body as {
      project: { id: string; slug: string };
      environments: [{ id: string }, { id: string }];
    };
    return { ...project, production: environments[0].id, staging: environments[1].id };
  };
  const service = async (projectId: string, body: object): Promise<MadeService> => {
    const made = await call('POST', `/projects/${projectId}/services`, body);
    expect(made.status, made.text).toBe(201);
    return made.body as unknown as MadeService;
  };
  /** The items of the environment's draft. */
  const staged = async (environmentId: string) => {
    const { rows } = await sql<Record<string, string>>`
      select item.kind, item.key, item.from_value as "from", item.to_value as "to", item.service_id as "serviceId",
             item.process_id as "processId"
      from change_set_item item join draft on draft.id = item.change_set_id
      where draft.environment_id = ${environmentId} order by item.created_at, item.id
    `.execute(parts().api.database.kysely);
    return rows;
  };
  /** As if change sets with the service had been applied in these environments. */
  const applied = async (made: MadeService, environmentIds: readonly string[]): Promise<MadeService> => {
    const { kysely } = parts().api.database;
    const row = await kysely
      .selectFrom('project')
      .select('organization_id')
      .where('id', '=', made.service.projectId)
      .executeTakeFirstOrThrow();
    const own = tenant(kysely, row.organization_id);
    const settings = await definedSettings(kysely, row.organization_id, made.service.id);
    if (settings === undefined) throw new Error('The service has no definition.');
    const of = { service_id: made.service.id, project_id: made.service.projectId, settings };
    await own.deleteFrom('change_set_item').where('service_id', '=', made.service.id).execute();
    for (const environmentId of environmentIds) {
      await own
        .insertInto('environment_service')
        .values({ ...of, environment_id: environmentId })
        .execute();
    }
    return made;
  };
  return { call, project, service, staged, applied };
}
