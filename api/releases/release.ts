import { z } from 'zod';
import { findRelease, type ReleaseView } from '../../db/releases/releases.ts';
import { resource } from '../engine/resource.ts';
import { frozenConfigAnswer, frozenConfigSchema } from '../repository-config/effective-schema.ts';

export const theRelease = resource('release', findRelease, ({ projectId }) => projectId);
export const releasePath = z.strictObject({ id: z.guid().toLowerCase() });

export const releaseSchema = z
  .object({
    id: z.guid(),
    environmentId: z.guid(),
    serviceId: z.guid(),
    number: z.int().describe('Counted per service.'),
    configRevision: z
      .int()
      .describe('The number of the release whose instances run it: another one if only replicas differ.'),
    contentDigest: z.string().describe('Of all that it is; the same in approval, release and report of the agent.'),
    imageRef: z.string(),
    variableKeys: z.array(z.string()),
    changeSetId: z.guid().optional(),
    buildId: z.guid().optional(),
    gitCommitSha: z.string(),
    promotedFromReleaseId: z.guid().optional(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    repositoryConfig: frozenConfigSchema
      .optional()
      .describe('The configuration file of the source of its image, over the settings; absent: there was none.'),
    retiredAt: z.iso.datetime().optional().describe('Not to be deployed again since then.'),
  })
  .meta({ id: 'Release' });

export function releaseAnswer(release: ReleaseView): z.output<typeof releaseSchema> {
  const { id, environmentId, serviceId, number, contentDigest, imageRef, variableKeys, createdBy } = release;
  const { changeSetId, buildId, promotedFromReleaseId, retiredAt } = release;
  return {
    ...{ id, environmentId, serviceId, number, contentDigest, imageRef, variableKeys, createdBy },
    configRevision: release.runsAs,
    ...(changeSetId === null ? {} : { changeSetId }),
    ...(buildId === null ? {} : { buildId }),
    gitCommitSha: release.gitCommitSha ?? '',
    ...(promotedFromReleaseId === null ? {} : { promotedFromReleaseId }),
    ...frozenConfigAnswer(release.file),
    createdAt: release.createdAt.toISOString(),
    ...(retiredAt === null ? {} : { retiredAt: retiredAt.toISOString() }),
  };
}
