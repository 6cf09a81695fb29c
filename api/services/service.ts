import { z } from 'zod';
import type { Referred } from '../../db/references/referred.ts';
import { findService, type ServiceView } from '../../db/services/services.ts';
import { defined } from '../../domain/defined.ts';
import { longestTagTemplate, tagTemplateFault } from '../../domain/git/tag-template.ts';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
import {
  builders,
  noSource,
  type ServiceDefinition,
  type ServiceSettings,
  type ServiceSource,
  sourceKinds,
} from '../../domain/services/settings.ts';
import { slugPattern } from '../../domain/slug.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { line, nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';

export const theService = resource('service', findService, ({ projectId }) => projectId);

export const stagedInSchema = z
  .object({
    changeSetId: z.guid(),
    environmentId: z.guid(),
    stagedBy: z.object({ id: z.string(), name: z.string() }),
  })
  .describe('The draft that adds it to an environment; absent if none does.');

export const serviceSchema = z
  .object({
    id: z.guid(),
    projectId: z.guid(),
    name: z.string(),
    slug: z.string().describe('Part of addresses and of image names; it never changes.'),
    template: z.string().optional().describe('The template of a database.'),
    createdAt: z.iso.datetime(),
    canvasX: z.number().optional(),
    canvasY: z.number().optional(),
    dependsOn: z.array(z.string()),
    dependsOnFromFile: z
      .object({ commit: z.string(), path: z.string(), slugs: z.array(z.string()) })
      .optional()
      .describe('Of the configuration file of the live release in the environment that was asked for.'),
    deployAfter: z
      .array(
        z.object({
          id: z.guid(),
          kind: z.enum(['service', 'database']),
          name: z.string(),
          slug: z.string(),
          keys: z.array(z.string()).describe('The variables that refer to it.'),
          via: z.enum(['reference', 'depends-on', 'file']),
        }),
      )
      .describe('The services that are deployed before it, and why.'),
    files: z.array(z.object({ path: z.string(), variable: z.string() })),
    releaseCommand: z.array(z.string()),
    releaseCommandTimeoutSeconds: z.int(),
    skipProductionApproval: z.boolean(),
    skipProductionApprovalAt: z.iso.datetime().optional(),
    skipProductionApprovalBy: z.string().optional(),
    source: z.object({
      kind: z.enum(sourceKinds),
      imageRepository: z.string(),
      registryCredentialId: z.string().optional(),
      builder: z.enum(builders),
      context: z.string(),
      dockerfile: z.string(),
      target: z.string(),
      gitUrl: z.string(),
      repository: z.string(),
      gitConnectionId: z.string().optional(),
      trigger: z
        .object({ gitConnectionId: z.string().optional(), repository: z.string(), tagTemplate: z.string() })
        .optional(),
      buildLimits: z
        .object({ memoryBytes: z.int().optional(), diskBytes: z.int().optional(), seconds: z.int().optional() })
        .optional(),
    }),
    volumes: z
      .array(z.object({ id: z.guid(), processId: z.guid(), name: z.string(), sizeBytes: z.int() }))
      .optional()
      .describe('Of its processes in the environment that was asked for; absent where none was.'),
    stagedIn: stagedInSchema.optional(),
  })
  .meta({ id: 'Service' });

/** A service with the settings of an environment, by default with those of its definition. */
export function serviceAnswer(
  service: ServiceView,
  bySlug: ReadonlyMap<string, { id: string; name: string }>,
  settings: ServiceDefinition | ServiceSettings = service.definition,
  referred: readonly Referred[] = [],
  file?: FrozenConfig,
): AnswerOf<typeof serviceSchema> {
  const { source, releaseCommand, releaseCommandTimeoutSeconds, dependsOn, files } = settings;
  const slugs = file?.effective.dependsOn ?? [];
  return {
    ...service,
    dependsOn,
    dependsOnFromFile: file && slugs.length > 0 ? { ...file, slugs } : undefined,
    deployAfter: [
      ...referred.map(({ template, ...other }) => ({
        ...{ ...other, via: 'reference' as const },
        kind: template === null ? ('service' as const) : ('database' as const),
      })),
      ...dependencies(dependsOn, 'depends-on', bySlug),
      ...dependencies(
        slugs.filter((one) => !dependsOn.includes(one)),
        'file',
        bySlug,
      ),
    ],
    files,
    releaseCommand,
    releaseCommandTimeoutSeconds,
    source: sourceAnswer(source),
    volumes: 'processes' in settings ? volumesIn(settings) : undefined,
  };
}

function dependencies(
  slugs: readonly string[],
  via: 'depends-on' | 'file',
  bySlug: ReadonlyMap<string, { id: string; name: string }>,
) {
  return slugs.flatMap((slug) => {
    const other = bySlug.get(slug);
    return other === undefined ? [] : [{ ...other, slug, keys: [], kind: 'service' as const, via }];
  });
}

/** Its trigger is of the repository that it is built from. */
function sourceAnswer({ trigger, ...source }: ServiceSource) {
  const { gitConnectionId, repository } = source;
  return { ...source, trigger: trigger && { ...trigger, gitConnectionId, repository } };
}

function volumesIn({ processes }: ServiceSettings) {
  return Object.entries(processes).flatMap(([processId, { volumes = {} }]) =>
    Object.entries(volumes).map(([id, { name, sizeBytes }]) => ({ id, processId, name, sizeBytes })),
  );
}

const text = (most: number) => line(most).or(z.literal(''));

export const serviceName = nameText();

/** A source as people give it; what is left out is empty. */
const sourceBody = z.strictObject({
  kind: z.enum(sourceKinds),
  imageRepository: z
    .string()
    .max(1024)
    .regex(/^[\x21-\x7e]*$/, 'must be a reference to an image, without blanks')
    .optional()
    .describe(
      "An image with its tag or digest, `registry.example.com/app:1.2`. `:1.2` or `@sha256:…` alone: of the service's own repository here.",
    ),
  registryCredentialId: z.guid().toLowerCase().optional(),
  builder: z.enum(builders).optional(),
  context: text(1024).optional(),
  dockerfile: text(1024).optional(),
  target: text(256).optional(),
  gitUrl: text(2048).optional(),
  repository: text(512).optional(),
  gitConnectionId: z.guid().toLowerCase().optional(),
  trigger: z
    .strictObject({
      tagTemplate: z
        .string()
        .max(longestTagTemplate)
        .describe('Such as `v*`: `*` is any text without a slash.')
        .superRefine((text, context) => {
          const message = tagTemplateFault(text);
          if (message !== undefined) context.addIssue({ code: 'custom', message });
        }),
    })
    .optional()
    .describe('Built by tags that match, and no longer by pushes of the branch.'),
  buildLimits: z
    .strictObject({
      memoryBytes: z.int().min(67_108_864).max(17_592_186_044_416).optional(),
      diskBytes: z.int().min(67_108_864).max(17_592_186_044_416).optional(),
      seconds: z.int().min(10).max(3_600).optional(),
    })
    .optional()
    .describe("Of its builds, within the cluster's own (`buildLimits` there), which hold where one is left out."),
});

export const serviceFields = {
  source: sourceBody,
  releaseCommand: z
    .array(z.string().max(32_768))
    .max(1000)
    .describe(
      'Runs once for each release, before its instances start; empty: none. Applied only where the cluster has the capability `releaseCommand`.',
    ),
  releaseCommandTimeoutSeconds: z.int().min(1).max(86_400),
  dependsOn: z
    .array(z.string().regex(slugPattern, 'must be the slug of a service'))
    .max(100)
    .describe('Slugs of services of this project that are deployed before it.'),
};

export function sourceOf({
  registryCredentialId,
  gitConnectionId,
  ...given
}: z.output<typeof sourceBody>): ServiceSource {
  return { ...noSource, ...defined({ ...given, registryCredentialId, gitConnectionId }) } as ServiceSource;
}
