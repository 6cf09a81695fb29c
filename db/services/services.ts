import { type Kysely, sql } from 'kysely';
import type { ServiceDefinition } from '../../domain/services/settings.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ProjectRef } from '../projects/projects.ts';
import { hasWords } from '../search/words.ts';

/** Names a service, its project and whose it is. */
export interface ServiceRef {
  id: string;
  organizationId: string;
  projectId: string;
}

export interface ServiceView extends ServiceRef {
  name: string;
  slug: string;
  template: string | null;
  /** The settings of environments to come. */
  definition: ServiceDefinition;
  canvasX: number | null;
  canvasY: number | null;
  skipProductionApproval: boolean;
  skipProductionApprovalAt: Date | null;
  skipProductionApprovalBy: string | null;
  createdAt: Date;
}

export interface ServicePage {
  limit: number;
  after?: { createdAt: Date; id: string } | undefined;
  /** Words of their names. */
  q?: string | undefined;
}

export async function findService(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ServiceView | undefined> {
  return await services(kysely, organizationId).where('service.id', '=', id).executeTakeFirst();
}

/** The services of a project, oldest first. */
export async function listServices(
  kysely: Kysely<Tables>,
  { id, organizationId }: ProjectRef,
  { limit, after, q }: ServicePage,
): Promise<ServiceView[]> {
  let query = services(kysely, organizationId)
    .where('service.project_id', '=', id)
    .where(hasWords(q, [sql.ref('service.name')]))
    .orderBy('service.created_at')
    .orderBy('service.id')
    .limit(limit);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('service.created_at', 'service.id'), '>', tuple(after.createdAt, after.id)),
    );
  }
  return await query.execute();
}

function services(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('service')
    .where('service.deletion_id', 'is', null)
    .select([
      'service.id',
      'service.organization_id as organizationId',
      'service.project_id as projectId',
      'service.name',
      'service.slug',
      'service.template',
      'service.definition',
      'service.canvas_x as canvasX',
      'service.canvas_y as canvasY',
      'service.skip_production_approval as skipProductionApproval',
      'service.skip_production_approval_at as skipProductionApprovalAt',
      'service.skip_production_approval_by as skipProductionApprovalBy',
      'service.created_at as createdAt',
    ]);
}
