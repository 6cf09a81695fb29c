import { expect, test } from 'vitest';
import type { Organization } from '../../test/api/client.ts';
import { fileApi } from '../../test/api/own-api.ts';

const api = await fileApi();

const remove = (gone: Organization, body: unknown = { confirmSlug: gone.slug }) =>
  gone.sessions.owner.delete(`/organizations/${gone.organizationId}`, body);
const asOwner = (gone: Organization) => ({ as: gone.sessions.owner, organization: '' });
const list = async (gone: Organization) => {
  const { body } = await api.call('GET', '/api/v1/deleted-organizations', asOwner(gone));
  return body.items as { id: string; slug: string; restorable: boolean; state: string }[];
};
const act = (gone: Organization, id: string, verb: 'restore' | 'purge', body?: unknown) =>
  api.call('POST', `/api/v1/deleted-organizations/${id}/${verb}`, { ...asOwner(gone), ...(body ? { body } : {}) });

test('deleted: invisible at once, and its actor is told in the same transaction', async () => {
  const gone = await api.organization();
  expect((await remove(gone)).status).toBe(204);
  expect((await gone.tokens.admin.get('/teams')).status).toBe(403);
  expect((await gone.sessions.owner.get('/teams')).status).toBe(403);
  const { body } = await api.call('GET', '/api/v1/organizations', asOwner(gone));
  expect(body.items).toEqual([]);
  expect(await list(gone)).toMatchObject([{ slug: gone.slug, restorable: true, state: 'retained' }]);
  const audit = await api.rows.all('audit_record', {
    organization_id: gone.organizationId,
    action: 'organization.deleted',
  });
  expect(audit.length).toBe(1);
});

test('the wrong slug is 422 at body.confirmSlug, another organization in the path 404', async () => {
  const kept = await api.organization();
  const refused = await remove(kept, { confirmSlug: 'another' });
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toMatchObject([{ location: 'body.confirmSlug', value: 'another' }]);
  const other = await api.organization();
  const path = `/organizations/${other.organizationId}`;
  const body = { confirmSlug: other.slug };
  expect((await kept.sessions.owner.delete(path, body)).status).toBe(404);
});

test('where a second factor is required, an owner without one can neither restore nor purge', async () => {
  const gone = await api.organization();
  await api.rows.set('organization', { id: gone.organizationId }, { require_mfa: true });
  const { owner } = gone.sessions;
  const setMfa = (mfa: boolean) => api.rows.set('session', { id: owner.id }, { mfa });
  await setMfa(true);
  await remove(gone);
  await setMfa(false);
  const [deletion] = await list(gone);
  const id = String(deletion?.id);
  for (const refused of [await act(gone, id, 'restore'), await act(gone, id, 'purge', { confirmSlug: gone.slug })]) {
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('second factor')]);
  }
  await setMfa(true);
  expect((await act(gone, id, 'restore')).status).toBe(200);
});

test('restored by its owner, and deleted again; nobody else sees the deletion', async () => {
  const gone = await api.organization();
  const stranger = await api.organization();
  for (let round = 0; round < 2; round += 1) {
    await remove(gone);
    const [deletion] = await list(gone);
    const id = String(deletion?.id);
    expect((await act(stranger, id, 'restore')).status).toBe(404);
    const admin = { ...gone, sessions: { ...gone.sessions, owner: gone.sessions.admin } };
    expect((await act(admin, id, 'restore')).status).toBe(404);
    const restored = await act(gone, id, 'restore');
    expect(restored.status).toBe(200);
    expect(restored.body).toMatchObject({ id: gone.organizationId, slug: gone.slug });
    expect((await act(gone, id, 'restore')).status).toBe(404);
    expect((await gone.tokens.viewer.get('/teams')).status).toBe(200);
  }
});

test('a slug that was taken meanwhile is 409; another one is accepted', async () => {
  const gone = await api.organization();
  await remove(gone);
  await api.organization(gone.slug);
  const [deletion] = await list(gone);
  const id = String(deletion?.id);
  expect((await act(gone, id, 'restore')).status).toBe(409);
  expect((await act(gone, id, 'restore', { slug: 'No Slug' })).body.errors).toMatchObject([{ location: 'body.slug' }]);
  const slug = `${gone.slug}-again`.slice(-40).replace(/^-/, 'x');
  expect((await act(gone, id, 'restore', { slug })).body).toMatchObject({ slug });
});

test('another second decision is 409', async () => {
  const gone = await api.organization();
  await remove(gone);
  const [deletion] = await list(gone);
  const id = String(deletion?.id);
  expect((await act(gone, id, 'purge', { confirmSlug: 'x' })).body.errors).toMatchObject([
    { location: 'body.confirmSlug' },
  ]);
  expect((await act(gone, id, 'purge', { confirmSlug: gone.slug })).status).toBe(204);
  expect((await act(gone, id, 'restore')).status).toBe(409);
  // Repeated it tells the actor again, which may have missed it.
  expect((await act(gone, id, 'purge', { confirmSlug: gone.slug })).status).toBe(204);
});

test('of two owners that decide at once, one decision counts', async () => {
  const gone = await api.organization();
  const session = await gone.session('owner', gone.sessions.owner.userId);
  await remove(gone);
  const [deletion] = await list(gone);
  const id = String(deletion?.id);
  const two = { ...gone, sessions: { ...gone.sessions, owner: session } };
  const answers = await Promise.all(
    Array.from({ length: 2 }, (_, index) =>
      index % 2 === 0 ? act(gone, id, 'restore') : act(two, id, 'purge', { confirmSlug: gone.slug }),
    ),
  );
  // A restoration counts once; to request the same purge again is no other decision.
  const restored = answers.filter(({ status }) => status === 200).length;
  const purged = answers.filter(({ status }) => status === 204).length;
  expect([restored, purged > 0]).toEqual(purged > 0 ? [0, true] : [1, false]);
  expect(answers.every(({ status }) => [200, 204, 404, 409].includes(status))).toBe(true);
});
