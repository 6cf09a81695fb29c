import { z } from 'zod';
import { changeRole as change } from '../../db/members/members.ts';
import { roles } from '../../domain/roles.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { memberAnswer, memberPath, memberSchema, theMember } from './member.ts';

export const changeRole = operation({
  method: 'PATCH',
  url: '/api/v1/organizations/{id}/members/{userId}',
  summary: 'Change the role of a member',
  description:
    'Takes effect with the next request; open streams of the person close. Only an owner can add or remove owners; the last one stays owner. API tokens that the person created keep their roles.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'last-owner', 'changed-meanwhile'],
  path: memberPath,
  body: withWas(z.strictObject({ role: z.enum(roles) })),
  result: memberSchema,
  async handle({ caller, path, body, effect }) {
    const { id: organizationId } = caller.ownOrganization(path.id);
    const { userId } = await caller.see(theMember, path.userId, effect.kysely);
    const { was, ...wanted } = body;
    const changed = await change(effect, { organizationId, userId, role: body.role, asRole: caller.role }, (is) =>
      refuseChangedMeanwhile(effect.kysely, { organizationId, kind: 'member', id: userId }, { is, was, wanted }),
    );
    return memberAnswer(changed ?? (await caller.see(theMember, userId, effect.kysely)));
  },
});
