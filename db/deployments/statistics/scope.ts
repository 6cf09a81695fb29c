import { type RawBuilder, sql } from 'kysely';

/** Of which deployments statistics are asked. */
export interface StatisticsFilter {
  /** Of these projects alone. */
  projectIds?: readonly string[] | undefined;
  projectId?: string | undefined;
  environmentId?: string | undefined;
  serviceId?: string | undefined;
}

/** The scopes in which a row of `deployment` is counted: its project, its environment, its service there. */
export const scopesOfDeployment = sql`
  (values (''), (deployment.environment_id::text), (concat(deployment.environment_id, '/', deployment.service_id))) as part (scope)`;

/** The scopes whose sum is what is asked for, as a table with `project_id` and `scope`. */
export function scopesOf(organizationId: string, filter: StatisticsFilter): RawBuilder<unknown> {
  const { projectIds, projectId, environmentId, serviceId } = filter;
  const tables = [sql`project`];
  const where = [sql`project.organization_id = ${organizationId}`];
  if (projectIds !== undefined) where.push(sql`project.id = any(${[...projectIds]}::uuid[])`);
  if (projectId !== undefined) where.push(sql`project.id = ${projectId}`);
  if (environmentId !== undefined || serviceId !== undefined) {
    tables.push(
      sql`environment on environment.organization_id = ${organizationId} and environment.project_id = project.id`,
    );
  }
  if (environmentId !== undefined) where.push(sql`environment.id = ${environmentId}`);
  if (serviceId !== undefined) {
    tables.push(sql`service on service.organization_id = ${organizationId} and service.project_id = project.id`);
    where.push(sql`service.id = ${serviceId}`);
  }
  const scope =
    serviceId !== undefined
      ? sql`concat(environment.id, '/', service.id)`
      : environmentId !== undefined
        ? sql`environment.id::text`
        : sql`''`;
  return sql`select project.id as project_id, ${scope} as scope from ${sql.join(tables, sql` join `)}
    where ${sql.join(where, sql` and `)}`;
}
