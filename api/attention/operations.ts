import { z } from 'zod';
import { type Broken, brokenKinds, type LooseningInBrief, listBroken } from '../../db/attention/broken.ts';
import { brokenSources } from '../../db/attention/sources.ts';
import { answerSentences } from '../../domain/deployments/answer-faults.ts';
import { mayActAs } from '../../domain/roles.ts';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import { asOfSchema } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { looseningAnswer, looseningSchema } from '../guards/operations.ts';
import { readableKinds } from '../workflows/workflow.ts';

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
      .object({ id: z.guid(), releaseNumber: z.int(), environmentName: z.string(), projectName: z.string() })
      .optional()
      .describe(
        'The last of a service in an environment, while nothing went live since it failed; or the one that serves, where visitors get something else.',
      ),
    build: z
      .object({
        id: z.guid(),
        number: z.int(),
        logLines: z.int(),
        environmentName: z.string(),
        projectName: z.string(),
      })
      .optional()
      .describe('The newest of a service in an environment that came to a result.'),
    loosening: looseningSchema
      .extend({
        deployed: z
          .array(
            z.object({
              id: z.guid(),
              serviceName: z.string(),
              releaseNumber: z.int(),
              environmentName: z.string(),
              projectName: z.string(),
            }),
          )
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
    const { limit, after } = page;
    const sources = brokenSources.filter(({ role }) => mayActAs(caller.role, role));
    const which = { sources, readable: readableKinds(caller) };
    const found = await listBroken(database.kysely, caller.organization.id, which, { limit: limit + 1, after });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { items: shown.map(answer), after: last && { rank: last.rank, key: last.key } };
  },
});

function answer(broken: Broken): z.output<typeof attentionSchema> {
  const {
    key,
    kind,
    clusterId,
    clusterName,
    name,
    instance,
    workflowId,
    workflowKind,
    channelId,
    deployment,
    build,
    loosening,
    detail,
    toldAt,
  } = broken;
  return {
    key,
    kind,
    ...(clusterId === null ? {} : { cluster: { id: clusterId, name: clusterName ?? '' } }),
    ...(name === null ? {} : { name }),
    ...(instance === null ? {} : { instance }),
    ...(workflowId === null || workflowKind === null
      ? {}
      : {
          workflow: {
            id: workflowId,
            kind: workflowKind,
            title: descriptors[workflowKind].words.title(clusterName ?? name ?? ''),
          },
        }),
    ...(channelId === null ? {} : { channel: { id: channelId } }),
    ...(deployment === null ? {} : { deployment: deploymentOf(deployment) }),
    ...(build === null ? {} : { build }),
    ...(loosening === null ? {} : { loosening: looseningOf(loosening) }),
    detail: detail ?? answerSentences(deployment?.warnings ?? []).join(' '),
    ...(toldAt === null ? {} : { asOf: { at: toldAt.toISOString(), inContact: broken.inContact === true } }),
  };
}

function deploymentOf({ warnings: _, ...deployment }: NonNullable<Broken['deployment']>) {
  return deployment;
}

function looseningOf({ deployed, deployedCount, ...loosening }: LooseningInBrief) {
  return { ...looseningAnswer(loosening), deployed, deployedCount };
}

export const attention = { list: listAttention };
