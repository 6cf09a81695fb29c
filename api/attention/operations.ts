import { z } from 'zod';
import { type Broken, brokenKinds, listBroken } from '../../db/attention/broken.ts';
import { brokenSources } from '../../db/attention/sources.ts';
import { answerSentences } from '../../domain/deployments/answer-faults.ts';
import { mayActAs } from '../../domain/roles.ts';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import { asOfSchema } from '../clusters/cluster.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { operation } from '../engine/operation.ts';
import { pageBy } from '../engine/positions.ts';
import { looseningAnswer, looseningSchema } from '../guards/operations.ts';
import { readableKinds } from '../workflows/workflow.ts';

const names = { environmentName: z.string(), projectName: z.string() };

export const attentionSchema = z
  .object({
    key: z.string().describe('The same as long as it is broken.'),
    kind: z.enum(brokenKinds),
    cluster: z.object({ id: z.guid(), name: z.string() }).optional(),
    name: z
      .string()
      .optional()
      .describe('Of the workload, service, node, release or channel, or of what a workflow is about.'),
    instance: z.string().optional().describe('Whose log tells more.'),
    workflow: z.object({ id: z.guid(), kind: z.enum(actorKinds), title: z.string() }).optional(),
    channel: z.object({ id: z.guid() }).optional().describe('Of notifications: messages to it are not delivered.'),
    deployment: z
      .object({ id: z.guid(), releaseNumber: z.int(), ...names })
      .optional()
      .describe(
        'The last of a service in an environment, while nothing went live since it failed; or the one that serves, where visitors get something else.',
      ),
    build: z
      .object({ id: z.guid(), number: z.int(), logLines: z.int(), ...names })
      .optional()
      .describe('The newest of a service in an environment that came to a result.'),
    loosening: looseningSchema
      .extend({
        deployed: z
          .array(z.object({ id: z.guid(), serviceName: z.string(), releaseNumber: z.int(), ...names }))
          .describe('To production since, until the guard was changed again: the newest 20.'),
        deployedCount: z.int(),
      })
      .optional()
      .describe('A guard of production that was loosened in the last seven days.'),
    detail: z.string().describe('Why, in a sentence; may be empty.'),
    asOf: asOfSchema.optional(),
  })
  .meta({ id: 'Attention' });

const listAttention = operation({
  method: 'GET',
  url: '/api/v1/attention',
  summary: 'List what is broken or waits for a person, the most urgent first',
  description:
    'One item for each broken thing: a lost cluster and its failed workload are two. Stuck workflows are told to those who may read them, available agent updates, failing channels of notifications and loosened guards of production to admins.',
  role: 'viewer',
  projectTokens: 'refused',
  paged: { after: z.strictObject({ rank: z.int(), key: z.string() }) },
  result: attentionSchema,
  async handle({ caller, database, page }) {
    const sources = brokenSources.filter(({ role }) => mayActAs(caller.role, role));
    const which = { sources, readable: readableKinds(caller) };
    const found = await listBroken(database.kysely, caller.organization.id, which, {
      ...page,
      limit: page.limit + 1,
    });
    return pageBy(found, page, ({ rank, key }) => ({ rank, key }), answer);
  },
});

function answer(broken: Broken): AnswerOf<typeof attentionSchema> {
  const { clusterId, clusterName, name, workflowId, workflowKind, channelId, deployment, loosening, toldAt } = broken;
  return {
    ...broken,
    cluster: clusterId === null ? null : { id: clusterId, name: clusterName ?? '' },
    workflow:
      workflowId === null || workflowKind === null
        ? null
        : {
            id: workflowId,
            kind: workflowKind,
            title: descriptors[workflowKind].words.title(clusterName ?? name ?? ''),
          },
    channel: channelId === null ? null : { id: channelId },
    loosening: loosening && { ...loosening, ...looseningAnswer(loosening) },
    detail: broken.detail ?? answerSentences(deployment?.warnings ?? []).join(' '),
    asOf: toldAt && { at: toldAt, inContact: broken.inContact === true },
  };
}

export const attention = { list: listAttention };
