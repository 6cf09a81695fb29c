import { z } from 'zod';
import type { Promotion } from '../../db/deployments/promotion/places.ts';
import { promotionPreview } from '../../db/deployments/promotion/preview.ts';
import { promote as promoteRelease } from '../../db/deployments/promotion/promote.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { itemRules, mostVariableBytes } from '../../domain/change-sets/rules.ts';
import { type FieldError, Problem } from '../../domain/problems.ts';
import { processKinds } from '../../domain/services/settings.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theRelease } from '../releases/operations.ts';
import { theService } from '../services/service.ts';
import { createdSchema, startBody, startedAnswer, startProblems } from './created-deployment.ts';

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

const givenVariable = z.strictObject({
  key: z.string().min(1).max(256),
  value: z.string().max(mostVariableBytes, 'must have at most 128 kB').optional().meta({ writeOnly: true }),
  secret: z
    .boolean()
    .optional()
    .describe('By default as it is where the release serves; a generated value is secret. A secret one stays secret.'),
  generate: z
    .boolean()
    .optional()
    .describe('Ballast makes a random value of 64 signs, which nobody is shown if it is secret.'),
  copy: z
    .boolean()
    .optional()
    .describe('The value of the environment of the release, also of a secret variable, except out of production.'),
});

export const promote = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/promote',
  summary: 'Promote a release to another environment',
  description:
    'Composes a release of the target: the image is that of the given release, to the byte; settings and variables are those applied in the target, and what is staged there stays staged. The source of the service there names the promoted digest from then on, so that later changes keep it. Where the target lacks the service it is added with the settings of the release and its plain variables; secrets are given in `variables`. What is added or set goes with the deployment as one change set. In production one approval holds all of it.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: [...startProblems, 'variables-missing', 'build-values-differ', 'capability-missing'],
  body: startBody.extend({
    releaseId: z.guid().toLowerCase().describe('A release of this service in another environment of its project.'),
    toEnvironmentId: z.guid().toLowerCase(),
    missingAccepted: z
      .boolean()
      .default(false)
      .describe(
        'Go ahead although the target has no value for variables that the release has. Not asked again once such a release was live there.',
      ),
    variables: z
      .array(givenVariable)
      .max(500)
      .default([])
      .describe('Values for variables of the service in the target, which are set with the promotion.'),
    source: z.enum(['console', 'api', 'cli']).default('api'),
  }),
  status: 201,
  result: createdSchema.extend({
    changeSetId: z
      .guid()
      .optional()
      .describe('Present where the service was added, or variables were set: all of it is one change set.'),
  }),
  async handle({ caller, path, body: { releaseId, toEnvironmentId, variables, source, ...body }, effect, server }) {
    refuseUnfitVariables(variables);
    const place = await promotionOf(
      caller,
      { serviceId: path.id, releaseId, toEnvironmentId, at: 'body' },
      effect.kysely,
    );
    const asked = { ...body, answerableId: caller.answerableId };
    const changes = { by: caller.countsAs, variables, via: source };
    const promoted = await promoteRelease(effect, server.keyring, place, asked, changes);
    const answer = await startedAnswer(effect, { ...place, id: promoted.releaseId }, promoted);
    return { ...answer, changeSetId: promoted.changeSetId };
  },
});

export const previewPromotion = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/promotion',
  summary: 'Preview a promotion: what the target has of the service, and what it would get',
  description:
    'Nothing is changed. Of a target that lacks the service: the settings and variables that it would be added with. Secret values are never answered.',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'release-retired'],
  query: z.strictObject({ releaseId: z.guid().toLowerCase(), toEnvironmentId: z.guid().toLowerCase() }),
  result: promotionPreviewSchema,
  async handle({ caller, path, query, database: { kysely }, server }) {
    const place = await promotionOf(caller, { serviceId: path.id, ...query, at: 'query' });
    return await promotionPreview(kysely, server.keyring, place);
  },
});

/** The release and the target, which the caller sees and which belong together. */
async function promotionOf(
  caller: OrganizationCaller,
  { serviceId, releaseId, toEnvironmentId, at }: PromotionNamed,
  kysely?: Effect['kysely'],
): Promise<Promotion> {
  const { projectId, name } = await caller.see(theService, serviceId, kysely);
  const release = await caller.see(theRelease, releaseId, kysely);
  const target = await caller.see(theEnvironment, toEnvironmentId, kysely);
  if (release.serviceId !== serviceId) throw new Problem('not-found', `The release is not one of "${name}".`);
  if (target.projectId !== projectId) throw new Problem('not-found', 'The environment is of another project.');
  if (release.environmentId === target.id) {
    const message = `is the environment of the release: roll back or redeploy it in "${target.name}"`;
    const errors = [{ location: `${at}.toEnvironmentId`, message, value: toEnvironmentId }];
    throw new Problem('invalid-field', `${at}.toEnvironmentId ${message}.`, { errors });
  }
  return { organizationId: caller.organization.id, projectId, serviceId, releaseId, environmentId: target.id };
}

interface PromotionNamed {
  serviceId: string;
  releaseId: string;
  toEnvironmentId: string;
  at: 'body' | 'query';
}

/** Each is named once, by a key that a variable can have, and has one way to its value. */
function refuseUnfitVariables(variables: readonly z.output<typeof givenVariable>[]): void {
  const faults = variables.flatMap(({ key, value, generate, copy }, index): FieldError[] => {
    const at = `body.variables[${index}]`;
    const fault = itemRules['variable.set'].fault({ key, value: value ?? '' });
    if (fault !== undefined) return [{ location: `${at}.${fault.field}`, message: fault.message }];
    if (variables.findIndex((one) => one.key === key) !== index)
      return [{ location: `${at}.key`, message: 'is given twice', value: key }];
    const ways = [value !== undefined, generate === true, copy === true].filter(Boolean).length;
    return ways === 1 ? [] : [{ location: at, message: 'must have one of value, generate and copy' }];
  });
  if (faults.length > 0) throw invalidFields(faults);
}
