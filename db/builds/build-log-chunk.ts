import { defineEntity, p } from '@mikro-orm/core';

/** Lines of a build's log that came together, numbered from 1 on without gaps. */
export const BuildLogChunkSchema = defineEntity({
  name: 'BuildLogChunk',
  tableName: 'build_log_chunk',
  properties: {
    buildId: p.uuid().primary(),
    first: p.bigint('number').primary(),
    last: p.bigint('number'),
    organizationId: p.uuid(),
    /** The lines, each with its end, compressed and sealed: programs print passwords. */
    sealed: p.blob().$type<Buffer>(),
    at: p.datetime(3),
  },
  indexes: [{ name: 'build_log_chunk_organization_id_build_id_index', properties: ['organizationId', 'buildId'] }],
});

export class BuildLogChunk extends BuildLogChunkSchema.class {}
BuildLogChunkSchema.setClass(BuildLogChunk);
