import { defineEntity, p } from '@mikro-orm/core';
import { notificationKinds } from '../../domain/notifications/notifications.ts';
import { incidentStates } from '../../workflows/incident/descriptor.ts';
import type { JsonObject } from '../postgres/json.ts';

/** Something that is wrong, told to one pager from its trigger to its resolve: the row of the actor `incident/<id>`. */
export const IncidentSchema = defineEntity({
  name: 'Incident',
  tableName: 'incident',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    notificationChannelId: p.uuid(),
    /** The thing that is wrong: of it there is one incident at a time. */
    subject: p.text(),
    /** The event that opened it. */
    occasion: p.text(),
    kind: p.enum(notificationKinds),
    title: p.text(),
    body: p.text(),
    link: p.json<JsonObject>(),
    /** The thing is well again: the resolve follows the trigger, whenever that arrives. */
    resolvedAt: p.datetime(3).nullable(),
    /** Of the trigger, and once that has arrived, of the resolve. */
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime(3).nullable(),
    state: p.enum(incidentStates).default('triggering'),
    revision: p.integer().default(0),
    /** Why the last attempt failed. */
    message: p.text().nullable(),
    blocker: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
    archivedAt: p.datetime(3).nullable(),
  },
  uniques: [
    {
      name: 'incident_open_unique',
      properties: ['notificationChannelId', 'subject'],
      where: 'finished_at is null and resolved_at is null',
    },
    { name: 'incident_occasion_unique', properties: ['notificationChannelId', 'occasion'] },
  ],
  indexes: [
    {
      name: 'incident_subject_index',
      properties: ['organizationId', 'subject'],
      where: 'finished_at is null and resolved_at is null',
    },
    { name: 'incident_page_index', properties: ['organizationId', 'notificationChannelId', 'createdAt', 'id'] },
    {
      name: 'incident_without_archive_index',
      properties: ['finishedAt'],
      where: 'finished_at is not null and archived_at is null',
    },
    { name: 'incident_finished_index', properties: ['finishedAt'], where: 'archived_at is not null' },
  ],
});

export class Incident extends IncidentSchema.class {}
IncidentSchema.setClass(Incident);
