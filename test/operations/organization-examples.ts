import { storeHistoryPage } from '../../db/engine/archive/history-archive.ts';
import { recordedHistory } from '../actors/recorded-history.ts';
import { type SignedIn, signIn } from '../identity/people.ts';
import { type Call, type Seeded, seed, seedSession, seedToken } from '../installation/running-api.ts';
import { seedMember } from '../seeds/seed.ts';
import { deployable } from './deployable.ts';
import type { Example, ExampleGround } from './example.ts';

const owner = (seeded: Seeded) => seeded.sessions.owner;

/** A session in user scope needs no organization, and its own may be the deleted one. */
function alone(seeded: Seeded): Call['as'] {
  return { ...seeded.sessions.owner, organizationId: '' };
}

/** Examples of organizations, of who is in them and of who may act for them. */
export function organizationExamples({ api, ours, issuer }: ExampleGround): Record<string, Example> {
  let leaving: Seeded;
  let guest: SignedIn;
  const team = async () => {
    const name = `Team ${crypto.randomUUID()}`;
    const { body } = await api.call('POST', '/api/v1/teams', { as: ours.tokens.admin, body: { name } });
    return { id: String(body.id) };
  };
  const deleted = async () => {
    const gone = await seed(api.database);
    const path = `/api/v1/organizations/${gone.organizationId}`;
    await api.call('DELETE', path, { as: gone.sessions.owner, body: { confirmSlug: gone.slug } });
    const { body } = await api.call('GET', '/api/v1/deleted-organizations', {
      as: gone.sessions.owner,
      organization: '',
    });
    const [deletion] = Array.isArray(body.items) ? body.items : [];
    leaving = gone;
    return { id: String(deletion.id) };
  };
  const itself = async () => ({ id: ours.organizationId });
  const member = async () => ({
    id: ours.organizationId,
    userId: await seedMember(api.database, ours.organizationId, 'viewer'),
  });
  const invited = async () => {
    guest = await signIn(api.database);
    const { body } = await api.call('POST', `/api/v1/organizations/${ours.organizationId}/invitations`, {
      as: ours.tokens.admin,
      body: { email: guest.email, role: 'viewer' },
    });
    const { invitation, token } = body as { invitation: { id: string }; token: string };
    return { id: invitation.id, token };
  };
  const project = async () => {
    const body = { name: `Project ${crypto.randomUUID()}` };
    const made = await api.call('POST', '/api/v1/projects', { as: ours.tokens.admin, body });
    return { projectId: (made.body.project as { id: string }).id };
  };
  const rule = () => ({
    name: `Rule ${crypto.randomUUID()}`,
    issuer: issuer.url,
    audience: 'ballast',
    claims: { repository: ['octo/*'] },
    role: 'deployer',
  });
  const trusted = async () => {
    const { body } = await api.call('POST', '/api/v1/trusted-issuers', { as: ours.sessions.admin, body: rule() });
    return { id: String(body.id) };
  };

  /** A trusted issuer was created, which the first page shows. */
  const loosened = async () => {
    const { id: subject } = await trusted();
    const { body } = await api.call('GET', '/api/v1/attention?limit=200', { as: ours.sessions.admin });
    const items = body.items as { loosening?: { id: string; subject: { id: string } } }[];
    return { id: items.find(({ loosening }) => loosening?.subject.id === subject)?.loosening?.id ?? '' };
  };

  /** A deletion that is over, with its history. */
  const archivedDeletion = async () => {
    const { id } = await deleted();
    const over = { state: 'restored', finished_at: new Date(), archived_at: new Date() } as const;
    await api.database.kysely.updateTable('deletion').set(over).where('id', '=', id).execute();
    const { organizationId } = leaving;
    const page = { actorId: `deletion/${id}`, runId: crypto.randomUUID(), page: 0, organizationId };
    const bytes = await recordedHistory('deletion-restored');
    await storeHistoryPage(api.database.kysely, api.keyring, { ...page, bytes });
    return { id };
  };

  return {
    'auth.config': {},
    'auth.session': { as: owner },
    'auth.endSession': {
      as: owner,
      prepare: async () => {
        const { id } = await seedSession(api.database, ours.organizationId, 'owner', ours.sessions.owner.userId);
        return { id };
      },
    },
    'auth.signOut': {
      as: () => leaving.sessions.owner,
      prepare: async () => {
        leaving = await seed(api.database);
        return {};
      },
    },
    'organizations.list': {},
    'organizations.create': { as: owner, body: () => ({ name: 'Made', slug: `made-${crypto.randomUUID()}` }) },
    'organizations.get': { prepare: itself },
    'organizations.update': {
      prepare: itself,
      body: () => ({ name: `Renamed ${crypto.randomUUID()}` }),
      also: [
        {
          prepare: async () => ({ ...(await itself()), ...(await deployable(api, ours)) }),
          body: ({ clusterId, registryCredentialId }) => ({
            defaultClusterId: clusterId,
            buildRegistryCredentialId: registryCredentialId,
          }),
        },
      ],
    },
    'organizations.leave': {
      as: () => guest.in(ours.organizationId),
      prepare: async () => {
        guest = await signIn(api.database);
        await api.database.kysely
          .insertInto('membership')
          .values({ organization_id: ours.organizationId, user_id: guest.userId, role: 'viewer' })
          .execute();
        return await itself();
      },
    },
    'organizations.getJoinTokenTtl': { prepare: itself },
    'organizations.setJoinTokenTtl': { prepare: itself, body: () => ({ seconds: 600 }) },
    'organizations.getDeletedRetention': { prepare: itself },
    'organizations.setDeletedRetention': { prepare: itself, body: () => ({ hours: 24 }) },
    'organizations.getApprovalExpiry': { prepare: itself },
    'organizations.setApprovalExpiry': { prepare: itself, body: () => ({ hours: 72 }) },
    'members.list': { prepare: itself },
    'members.get': { prepare: member },
    'members.changeRole': { prepare: member, body: () => ({ role: 'deployer' }) },
    'members.remove': { prepare: member },
    'invitations.list': { prepare: itself },
    'invitations.create': {
      prepare: itself,
      body: () => ({ email: `${crypto.randomUUID()}@example.com`, role: 'deployer' }),
    },
    'invitations.revoke': { prepare: invited },
    'invitations.resend': { prepare: invited },
    'invitations.view': { prepare: invited },
    'invitations.accept': { prepare: invited, as: () => guest.in() },
    'organizations.delete': {
      as: () => leaving.sessions.owner,
      prepare: async () => {
        leaving = await seed(api.database);
        return { id: leaving.organizationId };
      },
      body: () => ({ confirmSlug: leaving.slug }),
    },
    'deletedOrganizations.list': { as: owner },
    'deletedOrganizations.history': { as: () => alone(leaving), prepare: archivedDeletion },
    'deletedOrganizations.restore': { as: () => alone(leaving), prepare: deleted },
    'deletedOrganizations.purge': {
      as: () => alone(leaving),
      prepare: deleted,
      body: () => ({ confirmSlug: leaving.slug }),
    },
    'apiTokens.list': {
      also: [
        { query: () => ({ createdBy: ours.sessions.owner.userId }) },
        { prepare: trusted, query: ({ id = '' }) => ({ trustedIssuerId: id }) },
      ],
    },
    'apiTokens.create': {
      as: owner,
      body: () => ({ name: 'deploy', role: 'deployer', expiresAt: new Date(Date.now() + 86_400_000) }),
      also: [
        { prepare: project, body: ({ projectId }) => ({ name: 'shop', role: 'viewer', projectIds: [projectId] }) },
      ],
    },
    'apiTokens.revoke': {
      prepare: async () => ({ id: (await seedToken(api.database, ours.organizationId, 'viewer')).id }),
    },
    'trustedIssuers.list': {},
    'trustedIssuers.get': { prepare: trusted },
    'trustedIssuers.create': {
      as: owner,
      body: rule,
      also: [{ prepare: project, body: ({ projectId }) => ({ ...rule(), projectIds: [projectId] }) }],
    },
    'trustedIssuers.update': {
      as: owner,
      prepare: async () => ({ ...(await project()), ...(await trusted()) }),
      body: ({ projectId }) => ({ role: 'viewer', projectIds: [projectId] }),
    },
    'trustedIssuers.delete': { as: owner, prepare: trusted },
    'guards.undo': { as: owner, prepare: loosened },
    'tokenExchange.exchange': {
      prepare: async () => {
        await trusted();
        return { token: await issuer.token({ aud: 'ballast', repository: 'octo/app' }) };
      },
      body: ({ token }) => ({ organization: ours.slug, token }),
    },
    'teams.list': {},
    'teams.create': { body: () => ({ name: 'Made' }) },
    'teams.rename': { prepare: team, body: () => ({ name: `Renamed ${crypto.randomUUID()}` }) },
    'teams.delete': { prepare: team },
    'teams.changeMembers': {
      prepare: team,
      body: () => ({ add: [ours.sessions.viewer.userId] }),
      also: [
        {
          prepare: async () => {
            const made = await team();
            const body = { userIds: [ours.sessions.deployer.userId] };
            await api.call('PUT', `/api/v1/teams/${made.id}/members`, { as: ours.tokens.admin, body });
            return made;
          },
          body: () => ({ remove: [ours.sessions.deployer.userId] }),
        },
      ],
    },
    'teams.setMembers': { prepare: team, body: () => ({ userIds: [ours.sessions.viewer.userId] }) },
  };
}
