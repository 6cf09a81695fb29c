import { sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { type ProjectRef, recordProject } from '../projects/projects.ts';

export interface CanvasPosition {
  serviceId: string;
  x: number;
  y: number;
}

/** Places services on the project's canvas. Answers those that are none of the project: then nothing is placed. */
export async function placeOnCanvas(
  effect: Effect,
  project: ProjectRef & { name: string },
  positions: readonly CanvasPosition[],
): Promise<string[]> {
  const ids = positions.map(({ serviceId }) => serviceId);
  const known = await tenant(effect.kysely, project.organizationId)
    .selectFrom('service')
    .select('id')
    .where('project_id', '=', project.id)
    .where('deletion_id', 'is', null)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const services = new Set(known.map(({ id }) => id));
  const strangers = ids.filter((id) => !services.has(id));
  if (strangers.length > 0) return strangers;
  await sql`
    update service set canvas_x = position.x, canvas_y = position.y
    from unnest(${ids}::uuid[], ${positions.map(({ x }) => x)}::float8[], ${positions.map(({ y }) => y)}::float8[])
      as position(id, x, y)
    where service.organization_id = ${project.organizationId} and service.id = position.id
  `.execute(effect.kysely);
  recordProject(effect, 'project.updated', project, { canvas: { placed: positions.length } });
  return [];
}

/** Forgets where services were placed: a client arranges them by itself again. */
export async function clearCanvas(effect: Effect, project: ProjectRef & { name: string }): Promise<void> {
  await tenant(effect.kysely, project.organizationId)
    .updateTable('service')
    .set({ canvas_x: null, canvas_y: null })
    .where('project_id', '=', project.id)
    .execute();
  recordProject(effect, 'project.updated', project, { canvas: { placed: 0 } });
}
