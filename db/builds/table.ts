import { defineEntity, p } from '@mikro-orm/core';
import { buildKinds, buildStates, buildTriggers } from '../../domain/builds/states.ts';
import { actorRow, requestedBy, withoutArchive } from '../engine/actor-row.ts';
import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';

/** Lines of a build's log that came together, numbered from 1 on without gaps. */
const BuildLogChunkSchema = defineEntity({
  name: 'build_log_chunk',
  properties: {
    buildId: p.uuid().primary(),
    first: p.bigint('number').primary(),
    last: p.bigint('number'),
    organizationId: p.uuid(),
    /** The lines, each with its end, compressed and sealed: programs print passwords. */
    sealed: p.blob().$type<Buffer>(),
    at: p.datetime(3),
  },
  indexes: [{ properties: ['organizationId', 'buildId'] }],
});

/** A folder that was uploaded: the files that it has. Their bytes are blobs of the registry. */
const BuildSourceSchema = defineEntity({
  name: 'build_source',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    serviceId: p.uuid(),
    /** Of the manifest: two sources with it are the same. */
    digest: p.text(),
    /** `SourceFile` each. */
    files: p.json<JsonValue[]>(),
    sizeBytes: p.bigint('number'),
    createdById: p.text(),
    createdByName: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** The last upload, or request of a build of it: a sweep leaves it alone for a while. */
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    // The same folder is one source, and the folders of a service are found by it.
    { properties: ['serviceId', 'digest'] },
  ],
  indexes: [{ properties: ['touchedAt'] }],
});

/** A blob that a source needs: it is kept while the source is there. */
const BuildSourceBlobSchema = defineEntity({
  name: 'build_source_blob',
  properties: {
    buildSourceId: p.uuid().primary(),
    digest: p.text().primary(),
    organizationId: p.uuid(),
  },
  indexes: [{ properties: ['digest'] }, { properties: ['organizationId', 'buildSourceId'] }],
});

/** An image that is made of a source for a service in an environment: the row of the actor `build/<id>`. */
const BuildSchema = defineEntity({
  name: 'build',
  properties: {
    /** Its `message`: while it waits, for what; once it failed, the API's `error`. */
    ...actorRow,
    projectId: p.uuid(),
    environmentId: p.uuid(),
    serviceId: p.uuid(),
    /** Where it is built: the cluster of its environment when it was requested. */
    clusterId: p.uuid(),
    /** Of the service, from 1. */
    number: p.integer(),
    trigger: p.enum(buildTriggers),
    kind: p.enum(buildKinds).default('image'),
    state: p.enum(buildStates).default('queued'),
    /** The words of the person who requested it: what changes. */
    title: p.text().default(''),
    /** The uploaded source; without one it is a commit of a repository. */
    buildSourceId: p.uuid().nullable(),
    /** Of a commit: where it is fetched from, without a credential, and by which connection. */
    gitUrl: p.text().default(''),
    gitConnectionId: p.uuid().nullable(),
    /** `refs/heads/main` or `refs/tags/v1.2`, as it was when the build was requested. */
    gitRef: p.text().default(''),
    /** As people read it: `team/app`. */
    repository: p.text().default(''),
    branch: p.text().default(''),
    commitSha: p.text().default(''),
    commitMessage: p.text().default(''),
    /** Deployed once it has succeeded, with the settings that are applied then. */
    deploys: p.boolean().default(true),
    /** The person who requested it accepted that processes with a volume end before their successors start. */
    downtimeAccepted: p.boolean().default(false),
    /** `{ engine, detection }`, as the agent told them. */
    builder: p.json<JsonObject>().nullable(),
    /** `ToldConfig`: the configuration file of its source; null until the agent has told of it. */
    repositoryConfig: p.json<JsonObject>().nullable(),
    /** `BuildStep` each. */
    steps: p.json<JsonValue[]>().defaultRaw(`'[]'`),
    cachedSteps: p.integer().default(0),
    totalSteps: p.integer().default(0),
    /** `{ digest, platforms }` of what was pushed. */
    image: p.json<JsonObject>().nullable(),
    /** The number of the last line of its log, and of the last piece of the agent's output that was taken. */
    logLines: p.bigint('number').default(0),
    lastPiece: p.integer().default(-1),
    /** Bytes of its log that are kept, before they are compressed. */
    logBytes: p.bigint('number').default(0),
    releaseId: p.uuid().nullable(),
    deploymentId: p.uuid().nullable(),
    /** Why nothing was deployed of a build that succeeded. */
    releaseError: p.text().nullable(),
    releaseErrorAt: p.datetime(3).nullable(),
    /** Its commit is the head of the branch that is connected to its environment, or was when a build that it repeats was requested. */
    connected: p.boolean().default(false),
    /** The person who may decide there and asked for this very source to see the build variables of a production environment. */
    approvedById: p.text().nullable(),
    approvedByName: p.text().nullable(),
    /** A keyed digest of the variables that it was given; null as long as it has not begun, and of builds from before these were told apart. */
    variablesDigest: p.text().nullable(),
    retryOf: p.uuid().nullable(),
    /** The newer build of the same branch that took its place while it was queued. */
    supersededBy: p.uuid().nullable(),
    /** The change set that waits for its image, with which it is deployed. */
    changeSetId: p.uuid().nullable(),
    cancelRequestedAt: p.datetime(3).nullable(),
    ...requestedBy,
    /** The person who answers for it: a token counts as its owner. */
    actorUserId: p.uuid().nullable(),
    startedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    { properties: ['serviceId', 'number'] },
    // A net: turns are given to one at a time.
    { name: 'build_running_unique', properties: ['environmentId', 'serviceId'], where: "state = 'running'" },
  ],
  indexes: [
    { name: 'build_open_index', properties: ['clusterId', 'createdAt'], where: 'finished_at is null' },
    { name: 'build_page_index', properties: ['organizationId', 'createdAt', 'id'] },
    { name: 'build_state_page_index', properties: ['organizationId', 'state', 'createdAt', 'id'] },
    { name: 'build_service_page_index', properties: ['organizationId', 'serviceId', 'createdAt', 'id'] },
    { properties: ['changeSetId'], where: 'change_set_id is not null' },
    { properties: ['buildSourceId'], where: 'build_source_id is not null' },
    withoutArchive('build'),
  ],
});

export const builds = [BuildSchema, BuildLogChunkSchema, BuildSourceSchema, BuildSourceBlobSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toRow('build', 'project_id', 'project'),
  toRow('build', 'service_id', 'service'),
  partOf('build_log_chunk', 'build_id', 'build'),
  toRow('build_source', 'project_id', 'project'),
  toRow('build_source', 'service_id', 'service'),
  partOf('build_source_blob', 'build_source_id', 'build_source'),
];
