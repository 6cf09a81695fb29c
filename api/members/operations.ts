import { z } from 'zod';
import {
  changeRole as change,
  findMember,
  listMembers as membersOf,
  removeMember as remove,
} from '../../db/members/members.ts';
import { roles } from '../../domain/roles.ts';
import { soughtText } from '../engine/input/line.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';

const theMember = resource('member', findMember);

const memberSchema = z
  .object({
    userId: z.guid(),
    name: z.string(),
    email: z.string(),
    picture: z.string().optional(),
    role: z.enum(roles),
    mfa: z.boolean().describe('Whether the last sign-in passed a second factor.'),
    createdAt: z.iso.datetime().describe('When the person came into the organization.'),
    lastActiveAt: z.iso.datetime().optional().describe('To the minute.'),
    teams: z.array(z.object({ id: z.guid(), name: z.string() })),
  })
  .meta({ id: 'Member' });

const memberPath = z.strictObject({ id: z.guid(), userId: z.guid().toLowerCase() });

const changeRole = operation({
  method: 'PATCH',
  url: '/api/v1/organizations/{id}/members/{userId}',
  summary: 'Change the role of a member',
  description:
    'Takes effect with the next request; open streams of the person close. Only an owner can add or remove owners; the last one stays owner. API tokens that the person created keep their roles.',
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
    return changed ?? (await caller.see(theMember, userId, effect.kysely));
  },
});

const getMember = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/members/{userId}',
  summary: 'Get a member',
  role: 'viewer',
  projectTokens: 'refused',
  path: memberPath,
  result: memberSchema,
  async handle({ caller, path }) {
    caller.ownOrganization(path.id);
    return await caller.see(theMember, path.userId);
  },
});

export const listMembers = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/members',
  summary: 'List members, in the order they joined',
  role: 'viewer',
  projectTokens: 'refused',
  query: z.strictObject({ q: soughtText('name, e-mail or teams') }),
  paged: { after: createdPosition },
  result: memberSchema,
  async handle({ caller, path, database, query, page }) {
    const members = await membersOf(database.kysely, caller.ownOrganization(path.id).id, {
      ...oneMore(page),
      q: query.q,
    });
    return pageOf(members, page, undefined, ({ userId }) => userId);
  },
});

const removeMember = operation({
  method: 'DELETE',
  url: '/api/v1/organizations/{id}/members/{userId}',
  summary: 'Remove a member',
  description:
    'The person is refused from the next request on, leaves the teams, and open streams close. API tokens that the person created are revoked and returned; `GET /api/v1/api-tokens?live=true&createdBy=…` lists them beforehand. Invitations that the person created stay: revoke those that should not. Only an owner takes out owners, and the last one stays. To take oneself out is to leave.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'last-owner'],
  path: memberPath,
  result: z
    .object({ endedTokens: z.array(z.object({ id: z.guid(), name: z.string() })) })
    .meta({ id: 'MemberRemoved' }),
  async handle({ caller, path, effect }) {
    const { id: organizationId } = caller.ownOrganization(path.id);
    const { userId } = await caller.see(theMember, path.userId, effect.kysely);
    const endedTokens = await remove(effect, { organizationId, userId, asRole: caller.role });
    if (endedTokens === undefined) await caller.see(theMember, userId, effect.kysely);
    return { endedTokens: endedTokens ?? [] };
  },
});

export const members = { list: listMembers, get: getMember, changeRole, remove: removeMember };
