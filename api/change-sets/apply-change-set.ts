import type { Kysely } from 'kysely';
import { z } from 'zod';
import { findApproval } from '../../db/approvals/approvals.ts';
import { type Applied, applyDraft } from '../../db/change-sets/apply/apply-draft.ts';
import { keepOthers } from '../../db/change-sets/apply/part.ts';
import { type PlannedService, planChanges } from '../../db/change-sets/apply/plan.ts';
import { findChangeSet } from '../../db/change-sets/change-sets.ts';
import { notADraft } from '../../db/change-sets/draft/unstage.ts';
import { lockDraft } from '../../db/change-sets/drafts.ts';
import { lockAdmission } from '../../db/deployments/admission.ts';
import { findDeployment } from '../../db/deployments/deployments.ts';
import { type Effect, tryOut } from '../../db/engine/effect.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { approvalDecisions, approvalKinds } from '../../domain/approvals/approvals.ts';
import { deploymentStates } from '../../domain/deployments/states.ts';
import { approvesAlone } from '../builds/create-build.ts';
import { downtimeAccepted } from '../deployments/deployment.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { changeSetAnswer, changeSetSchema } from './change-set.ts';
import { expectedRevision, placeOf, stageBodies, stagedAlong, theChangeSet } from './draft.ts';
import { resolveSources } from './resolve-images.ts';

const sentence = (most: number) => z.string().trim().max(most).default('');

export const applyResultSchema = z
  .object({
    changeSet: changeSetSchema,
    approval: z
      .object({
        id: z.guid(),
        kind: z.enum(approvalKinds),
        decision: z.enum(approvalDecisions).optional(),
        decidedAt: z.iso.datetime().optional(),
        expiresAt: z.iso.datetime(),
      })
      .optional()
      .describe('Present if the changes wait for a decision; settings do not change before.'),
    deployments: z.array(
      z.object({
        id: z.guid(),
        releaseId: z.guid(),
        serviceId: z.guid(),
        state: z.enum(deploymentStates),
        approvalId: z.guid().optional(),
      }),
    ),
    firstDeploys: z.array(
      z.object({ serviceId: z.guid(), deploymentId: z.guid().optional(), buildId: z.guid().optional() }),
    ),
    builds: z
      .array(z.object({ id: z.guid(), serviceId: z.guid() }))
      .describe(
        'Images that are made first, of repositories: each is deployed within this change set once it is there.',
      ),
    unreleasedServiceIds: z
      .array(z.guid())
      .describe('Settings are stored and nothing was started: no image, no process, or suspended.'),
  })
  .meta({ id: 'ApplyResult' });

export const applyBody = z.strictObject({
  message: sentence(500).describe('What changes, in your words.'),
  reason: sentence(2000).describe('For who decides.'),
  expectedRevision,
  downtimeAccepted,
  deployServiceIds: z
    .array(z.guid().toLowerCase())
    .max(500)
    .default([])
    .describe('Services to deploy with their settings as they are, although nothing of them is staged.'),
  source: z.enum(['console', 'api', 'cli']).default('api'),
});

const applyDraftBody = applyBody.extend({
  items: stagedAlong
    .optional()
    .describe('Changes that are staged and applied at once, or, where that is refused, not staged either.'),
  serviceIds: z
    .array(z.guid().toLowerCase())
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Applies only what is staged of these services, with the shared variables that theirs refer to; the rest stays staged. By default everything is applied.',
    ),
  uploads: z
    .array(z.strictObject({ serviceId: z.guid().toLowerCase(), sourceId: z.guid().toLowerCase() }))
    .max(50)
    .optional()
    .describe(
      'Uploaded sources of which images are made first; each is deployed within this change set once it is there. Refused where the changes are held for an approval.',
    ),
});

/** The problems with which a change set can be refused. */
export const applyProblems = [
  'not-found',
  'conflict',
  'change-set-changed',
  'changed-meanwhile',
  'image-not-resolved',
  'commit-not-resolved',
  'downtime-not-accepted',
  'service-suspended',
  'image-unfit',
  'capability-missing',
] as const;

export const applyChangeSet = operation({
  method: 'POST',
  url: '/api/v1/change-sets/{id}/apply',
  summary: 'Apply the staged changes of an environment',
  description:
    'Settings, releases and deployments are committed together, or nothing is. In a production environment they wait for an approval, unless all of the services are excepted. Tags of images are resolved to digests first, branches of repositories to commits, whose images are built before they are deployed.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: applyProblems,
  of: theChangeSet,
  body: applyDraftBody.optional(),
  result: applyResultSchema,
  ownEffect: true,
  async handle({ found: changeSet, caller, path, body, once, server }) {
    if (changeSet.state !== 'draft') throw notADraft();
    const environment = await caller.see(theEnvironment, changeSet.environmentId);
    const {
      items = [],
      uploads: sources = [],
      message: title,
      expectedRevision: expected,
      ...asked
    } = body ?? applyDraftBody.parse({});
    const { serviceIds, deployServiceIds } = asked;
    const uploads = new Map(sources.map(({ serviceId, sourceId }) => [serviceId, sourceId]));
    const place = placeOf(environment);
    const { images, commits } = await resolveSources({ caller, server }, environment, await affected());
    return await once(async (applying) => {
      const { production, projectId } = await caller.see(theEnvironment, environment.id, applying.kysely);
      // As for everything that is applied: who stages alone takes the draft alone.
      if (items.length > 0) await lockAdmission(applying, { ...place, projectId });
      const seen = await staged(applying);
      // As for a build that is asked for by itself.
      const approvedBy = production && uploads.size > 0 ? await approvesAlone(applying.kysely, caller) : undefined;
      const applied = await applyDraft(applying, server.keyring, { ...place, projectId, production }, images, {
        ...asked,
        ...{ changeSetId: path.id, title, commits, uploads, approvedBy },
        expectedRevision: seen,
        answerableId: caller.answerableId,
      });
      return await resultOf(applying.kysely, caller.organization.id, path.id, applied);
    });

    /** Stages what comes with the request; answers the revision that is still to be compared. */
    async function staged(running: Effect): Promise<number | undefined> {
      if (items.length === 0) return expected;
      await stageBodies(running, caller, server, environment, items, expected);
      return undefined;
    }

    /** The services that would be deployed, before anything is staged for good. */
    async function affected(): Promise<readonly PlannedService[]> {
      const { database } = server;
      if (items.length === 0 && serviceIds === undefined)
        return (await planChanges(database.kysely, place, path.id, deployServiceIds, { uploads })).affected;
      return await tryOut(database, caller.author, async (running) => {
        await staged(running);
        const draft = await lockDraft(running, place);
        if (draft.id !== path.id) throw notADraft();
        if (serviceIds !== undefined) await keepOthers(running, place, draft, serviceIds);
        return (await planChanges(running.kysely, place, path.id, deployServiceIds, { uploads })).affected;
      });
    }
  },
});

/** A change set that was just asked for, with all that came of it. */
export async function resultOf(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
  { approvalId, deployments, firstDeploys, builds, unreleasedServiceIds }: Applied,
): Promise<AnswerOf<typeof applyResultSchema>> {
  const changeSet = await findChangeSet(kysely, organizationId, id);
  if (changeSet === undefined) throw new Error(`The change set ${id} that was just applied is not there.`);
  const approval = approvalId === undefined ? undefined : await findApproval(kysely, organizationId, approvalId);
  const started = deployments.map(async (one) => {
    const state = (await findDeployment(kysely, organizationId, one.id))?.state ?? 'pending';
    return { ...one, state, approvalId };
  });
  return {
    changeSet: changeSetAnswer(changeSet),
    approval,
    deployments: await Promise.all(started),
    firstDeploys,
    builds,
    unreleasedServiceIds,
  };
}
