import { z } from 'zod';
import { findLoosening, type LooseningView, undoLoosening as undo } from '../../db/guards/loosenings.ts';
import { guards as kindsOfGuard, loosenedTitle } from '../../domain/guards/guards.ts';
import { Problem } from '../../domain/problems.ts';
import { isJob } from '../approvals/approval.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { operation } from '../engine/operation.ts';
import { resource } from '../engine/resource.ts';

const theLoosening = resource('loosened guard', findLoosening);

export const looseningSchema = z
  .object({
    id: z.guid(),
    guard: z.enum(kindsOfGuard),
    subject: z
      .object({ id: z.guid(), name: z.string() })
      .describe('The environment, the service, the trusted issuer or the person.'),
    projectId: z.guid().optional(),
    title: z.string().describe('A sentence without its full stop.'),
    by: z.string(),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional().describe('When the guard was changed again: it cannot be undone any more.'),
    endedBy: z.string(),
    undone: z.boolean(),
  })
  .meta({ id: 'GuardLoosening' });

type Loosening = Omit<LooseningView, 'organizationId' | 'createdAt' | 'endedAt'> & {
  createdAt: Date | string;
  endedAt: Date | string | null;
};

export function looseningAnswer(loosening: Loosening): AnswerOf<typeof looseningSchema> {
  const { subjectId, subjectName: name, projectName: project, createdAt, endedAt, endedBy } = loosening;
  return {
    ...loosening,
    subject: { id: subjectId, name },
    title: loosenedTitle({ ...loosening, name, project }),
    createdAt: new Date(createdAt),
    endedAt: endedAt && new Date(endedAt),
    endedBy: endedBy ?? '',
  };
}

const undoLoosening = operation({
  method: 'POST',
  url: '/api/v1/guard-loosenings/{id}/undo',
  summary: 'Undo the loosening of a guard of production',
  description:
    'Makes it again what it was before, if nobody has changed it since: `production` of an environment, `skipProductionApproval` of a service, a trusted issuer, the role of a member. `GET /attention` has the loosenings of the last seven days. By an admin, with a session or a token; a CI job does not.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'role-too-low', 'last-owner'],
  of: theLoosening,
  result: looseningSchema,
  async handle({ found: loosening, caller, effect }) {
    if (await isJob(effect.kysely, caller)) {
      throw new Problem('role-too-low', 'Tokens of CI jobs change no guards of production: a person does.');
    }
    return looseningAnswer(await undo(effect, loosening, caller.role));
  },
});

export const guards = { undo: undoLoosening };
