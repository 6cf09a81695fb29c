import { type RawBuilder, sql } from 'kysely';
import type { ThingKind } from '../../../domain/deletions/kinds.ts';

/** The table of a kind's rows. */
export const tableOfThing = {
  service: 'service',
  database: 'service',
  volume: 'volume',
  environment: 'environment',
  project: 'project',
  'left-volume': 'left_volume',
} as const satisfies Record<ThingKind, string>;

export interface ThingToPurge {
  deletionId: string;
  organizationId: string;
  kind: ThingKind;
  id: string;
}

/** Whether the thing still waits for its purge by this deletion, and by no newer one. */
export const attached: RawBuilder<boolean> = sql<boolean>`case deletion.kind
  when 'volume' then exists (select from volume thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id)
  when 'left-volume' then exists (select from left_volume thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id)
  when 'environment' then exists (select from environment thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id)
  when 'project' then exists (select from project thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id)
  else exists (select from service thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id) end`;

export interface Parent {
  kind: 'project' | 'service' | 'environment';
  name: string;
}

/** The deleted thing that it was in: restored first. A service that a project took along is restored with that project. */
export const deletedParent: RawBuilder<Parent | null> = sql<Parent | null>`case deletion.kind
  when 'project' then null
  when 'left-volume' then coalesce(
    (select json_build_object('kind', 'project', 'name', parent.name) from project parent
      where parent.organization_id = deletion.organization_id and parent.id = deletion.project_id and parent.deletion_id is not null),
    (select json_build_object('kind', 'service', 'name', parent.name) from left_volume
      join service parent on parent.organization_id = left_volume.organization_id and parent.id = left_volume.service_id
      where left_volume.organization_id = deletion.organization_id and left_volume.id = deletion.subject_id and parent.deletion_id is not null),
    (select json_build_object('kind', 'environment', 'name', parent.name) from left_volume
      join environment parent on parent.organization_id = left_volume.organization_id and parent.id = left_volume.environment_id
      where left_volume.organization_id = deletion.organization_id and left_volume.id = deletion.subject_id and parent.deletion_id is not null))
  when 'volume' then coalesce(
    (select json_build_object('kind', 'project', 'name', parent.name) from project parent
      where parent.organization_id = deletion.organization_id and parent.id = deletion.project_id and parent.deletion_id is not null),
    (select json_build_object('kind', 'service', 'name', parent.name) from volume
      join service parent on parent.organization_id = volume.organization_id and parent.id = volume.service_id
      where volume.organization_id = deletion.organization_id and volume.id = deletion.subject_id and parent.deletion_id is not null))
  else (select json_build_object('kind', 'project', 'name', parent.name) from project parent
    where parent.organization_id = deletion.organization_id and parent.id = deletion.project_id and parent.deletion_id is not null) end`;
