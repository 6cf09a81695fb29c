import { defineEntity, p } from '@mikro-orm/core';

/** A page of an actor's history, compressed and encrypted. */
export const HistoryArchivePageSchema = defineEntity({
  name: 'HistoryArchivePage',
  tableName: 'history_archive',
  properties: {
    actorId: p.text().primary(),
    runId: p.text().primary(),
    page: p.integer().primary(),
    organizationId: p.uuid(),
    bytes: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'history_archive_organization_id_index', properties: ['organizationId'] }],
});

export class HistoryArchivePage extends HistoryArchivePageSchema.class {}
HistoryArchivePageSchema.setClass(HistoryArchivePage);
