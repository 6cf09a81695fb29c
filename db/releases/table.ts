import { defineEntity, p } from '@mikro-orm/core';
import type { ImagePlatform } from '../../domain/services/image-fit.ts';
import type { ReleaseContent } from '../../domain/services/settings.ts';
import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

/** All that runs of a service in an environment, frozen: image, settings, variables. */
const ReleaseSchema = defineEntity({
  name: 'release',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    environmentId: p.uuid(),
    serviceId: p.uuid(),
    /** Counted per service. */
    number: p.integer(),
    content: p.json<ReleaseContent>(),
    /** The values of its secret variables, encrypted with the organization's key. */
    sealed: p.blob().$type<Buffer>().nullable(),
    contentDigest: p.text(),
    imageRef: p.text(),
    /** The platforms that the image is made for; null where these were not known. */
    imagePlatforms: p.json<ImagePlatform[]>().nullable(),
    variableKeys: p.array(),
    /** The number of the release whose instances run it: an earlier one if only replicas differ from that. */
    runsAs: p.integer(),
    changeSetId: p.uuid().nullable(),
    buildId: p.uuid().nullable(),
    gitCommitSha: p.text().nullable(),
    promotedFromReleaseId: p.uuid().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** Not to be deployed again since then. */
    retiredAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['organizationId', 'id'] }, { properties: ['serviceId', 'number'] }],
  indexes: [
    { name: 'release_page_index', properties: ['organizationId', 'environmentId', 'serviceId', 'createdAt', 'id'] },
    { name: 'release_project_id_index', properties: ['organizationId', 'projectId'] },
  ],
});

export const releases = [ReleaseSchema] as const;

export const foreignKeys: readonly ForeignKey[] = ['project', 'environment', 'service'].map((thing) =>
  toRow('release', `${thing}_id`, thing),
);
