import { z } from 'zod';
import { type Found, find, foundKinds } from '../../db/search/finder.ts';
import { tones } from '../../domain/history-steps/step.ts';
import { stateWords } from '../../domain/history-steps/words.ts';
import { descriptors, isActorKind } from '../../workflows/descriptors.ts';
import { asOfSchema } from '../clusters/cluster.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { operation } from '../engine/operation.ts';
import { isPermitted } from '../engine/pipeline/permission.ts';
import { readableKinds } from '../workflows/workflow.ts';
import { findable } from './findable.ts';

const foundSchema = z
  .object({
    kind: z.enum(foundKinds),
    id: z.string(),
    name: z.string(),
    detail: z.string().describe('Tells it from others of that name; may be empty.'),
    clusterId: z.guid().optional().describe('Of what is on a cluster.'),
    place: z
      .object({ project: z.string(), environment: z.string().optional(), service: z.string().optional() })
      .optional()
      .describe('Of projects and what is in them: the slugs that its address in the console is made of.'),
    state: z
      .string()
      .optional()
      .describe('Of clusters, instances and workflows their state; `revoked` or `expired` of what no longer works.'),
    stateTitle: z
      .string()
      .optional()
      .describe("Of workflows: the state in words, with the tone of the console's mark."),
    tone: z.enum(tones).optional(),
    asOf: asOfSchema.optional(),
  })
  .meta({ id: 'Found' });

const search = operation({
  method: 'GET',
  url: '/api/v1/search',
  summary: 'Find things by their names or ids, the best first',
  description:
    'Exact ids come first, then exact names, beginnings, beginnings of words, and parts of names. Only what the caller may list is found.',
  role: 'viewer',
  projectTokens: 'allowed',
  rate: 'searches',
  query: z.strictObject({
    q: z.string().trim().max(200).default('').describe('A name, a part of one, or an id; nothing finds nothing.'),
    limit: z.int().min(1).max(50).default(20),
  }),
  result: z.object({ found: z.array(foundSchema) }).meta({ id: 'SearchResult' }),
  async handle({ caller, query, database }) {
    if (query.q === '') return { found: [] };
    const visible = findable.filter(({ listedBy }) => isPermitted(caller, listedBy.access));
    const found = await find(
      database.kysely,
      caller.organization.id,
      visible.map(({ finder }) => finder),
      { text: query.q, workflows: readableKinds(caller), within: caller.projectIds ?? null, limit: query.limit },
    );
    return { found: found.map(answer) };
  },
});

function answer(found: Found): AnswerOf<typeof foundSchema> {
  const { kind, detail, state, toldAt, inContact } = found;
  return {
    ...found,
    detail: kind === 'workflow' ? manyOf(detail ?? '') : (detail ?? ''),
    ...(state !== null && titleOf(kind, detail, state)),
    asOf: toldAt && { at: toldAt, inContact: inContact === true },
  };
}

/** A kind of workflow in words; one of another version as it is called. */
function manyOf(actor: string): string {
  return isActorKind(actor) ? descriptors[actor].words.many : actor;
}

/** Workflows have words of their own for their states, each kind its own. */
function titleOf(kind: Found['kind'], actor: string | null, state: string) {
  if (kind !== 'workflow' || actor === null || !isActorKind(actor)) return {};
  const { word, tone } = stateWords(descriptors[actor].words, state);
  return { stateTitle: word, tone };
}

export const searches = { search };
