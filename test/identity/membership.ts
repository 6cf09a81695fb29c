import type { Role } from '../../domain/roles.ts';
import type { Call, RunningApi, Seeded } from '../installation/running-api.ts';
import { type SignedIn, signIn } from './people.ts';

/** People who join one organization, and what its members ask of the API about each other. */
export function membership(at: () => { api: RunningApi; ours: Pick<Seeded, 'organizationId'> }) {
  const call = (method: string, path: string, more: Call) =>
    at().api.call(method, `/api/v1/organizations/${at().ours.organizationId}/${path}`, more);

  async function join(role: Role, name = 'Ada'): Promise<SignedIn> {
    const { api, ours } = at();
    const person = await signIn(api.database, { name });
    await api.database.kysely
      .insertInto('membership')
      .values({ organization_id: ours.organizationId, user_id: person.userId, role })
      .execute();
    return person;
  }
  const change = (userId: string, role: Role, as: Call['as']) =>
    call('PATCH', `members/${userId}`, { as, body: { role } });
  const remove = (userId: string, as: Call['as']) => call('DELETE', `members/${userId}`, { as });
  const leave = (as: Call['as']) => call('POST', 'leave', { as });
  const invite = (email: string, as: Call['as']) =>
    call('POST', 'invitations', { as, body: { email, role: 'viewer' } });

  /** The audit records about this member. */
  async function recorded(userId: string) {
    const { api, ours } = at();
    return await api.database.kysely
      .selectFrom('audit_record')
      .select(['action', 'actor_id', 'subject_name', 'details'])
      .where('organization_id', '=', ours.organizationId)
      .where('subject_id', '=', userId)
      .where('subject_kind', '=', 'member')
      .orderBy('at')
      .execute();
  }

  async function makeToken(who: SignedIn, name: string) {
    const { api, ours } = at();
    const made = await api.call('POST', '/api/v1/api-tokens', {
      as: who.in(ours.organizationId),
      body: { name, role: 'admin' },
    });
    return { token: String(made.body.secret), id: String((made.body.token as { id: string }).id) };
  }

  return { join, change, remove, leave, invite, recorded, makeToken };
}
