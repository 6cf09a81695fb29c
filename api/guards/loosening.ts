import { z } from 'zod';
import { findLoosening, type LooseningView } from '../../db/guards/loosenings.ts';
import { guards } from '../../domain/guards/guards.ts';
import { loosenedTitle } from '../../domain/guards/words.ts';
import { resource } from '../engine/resource.ts';

export const theLoosening = resource('loosened guard', findLoosening);

export const looseningSchema = z
  .object({
    id: z.guid(),
    guard: z.enum(guards),
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

export function looseningAnswer(loosening: Loosening): z.output<typeof looseningSchema> {
  const { id, guard, subjectId, subjectName, projectId, projectName, before, after } = loosening;
  const { by, createdAt, endedAt, endedBy, undone } = loosening;
  return {
    ...{ id, guard, subject: { id: subjectId, name: subjectName }, by, undone, endedBy: endedBy ?? '' },
    ...(projectId === null ? {} : { projectId }),
    title: loosenedTitle({ guard, name: subjectName, project: projectName, before, after }),
    createdAt: new Date(createdAt).toISOString(),
    ...(endedAt === null ? {} : { endedAt: new Date(endedAt).toISOString() }),
  };
}
