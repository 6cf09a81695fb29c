import { z } from 'zod';
import { processKinds } from '../../../domain/services/settings.ts';
import { buildTimes } from '../../../domain/variables/build-time.ts';

/** The state of a service in a target, and all that a promotion would bring. */
export const promotionPreviewSchema = z
  .object({
    adds: z.boolean().describe('The target lacks the service: the promotion adds it.'),
    staged: z.int().describe('Changes of the service that are staged in the target and go along, where it is added.'),
    held: z.boolean().describe('It waits for an approval.'),
    releaseNumber: z.int(),
    fromEnvironmentName: z.string(),
    toEnvironmentName: z.string(),
    processes: z
      .array(
        z.object({
          name: z.string(),
          kind: z.enum(processKinds),
          port: z.int().optional(),
          replicas: z.int(),
          volumes: z.array(z.object({ name: z.string(), mountPath: z.string(), sizeBytes: z.int() })),
        }),
      )
      .describe('Of the service as it would run there. Volumes begin empty.'),
    variables: z
      .array(
        z.object({
          key: z.string(),
          secret: z.boolean(),
          buildTime: z.enum(buildTimes),
          from: z
            .enum(['copied', 'there', 'nowhere'])
            .describe(
              '`copied`: with its plain value; `there`: the target has it; `nowhere`: its value has to be given.',
            ),
          value: z.string().describe('Empty if it is secret, or has to be given.'),
          proposal: z
            .enum(['', 'generate'])
            .describe('`generate`: by its name a secret of the service alone, for which any value does.'),
          copyable: z
            .boolean()
            .describe(
              'The environment of the release has a value that may be copied, which none of the secrets of production may.',
            ),
          problem: z.string().describe('Why a copied value cannot be taken there; empty if it can.'),
        }),
      )
      .describe('Those of the service, by key.'),
  })
  .meta({ id: 'PromotionPreview' });
