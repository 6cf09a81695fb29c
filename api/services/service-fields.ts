import { z } from 'zod';
import { longestTagTemplate, tagTemplateFault } from '../../domain/git/tag-template.ts';
import { builders, noSource, type ServiceSource, sourceKinds } from '../../domain/services/settings.ts';
import { slugPattern } from '../../domain/slug.ts';
import { line, nameText } from '../engine/input/line.ts';

const text = (most: number) => line(most).or(z.literal(''));

export const serviceName = nameText();

/** A source as people give it; what is left out is empty. */
export const sourceBody = z.strictObject({
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
  const plain = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {
    ...noSource,
    ...plain,
    ...(registryCredentialId === undefined ? {} : { registryCredentialId }),
    ...(gitConnectionId === undefined ? {} : { gitConnectionId }),
  } as ServiceSource;
}
