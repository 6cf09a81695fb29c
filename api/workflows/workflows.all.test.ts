import { expect, test } from 'vitest';
import { api, log, type Step, toldWorkflows } from '../../test/api/told-workflows.ts';
import { until } from '../../test/ground/until.ts';
import { archiveFinished } from '../../worker/duties/archive.ts';
import { openMetrics } from '../../worker/host/metrics.ts';

toldWorkflows();

test('the owner reads the history of a deletion after the purge as well, and a stranger never', async () => {
  const gone = await api.organization();
  const stranger = await api.organization();
  const { organizationId, slug } = gone;
  const owner = { as: gone.sessions.owner, organization: '' };
  const removed = await gone.sessions.owner.delete(`/organizations/${organizationId}`, { confirmSlug: slug });
  expect(removed.status).toBe(204);
  const deleted = await api.call('GET', '/api/v1/deleted-organizations', owner);
  const [{ id } = { id: '' }] = deleted.body.items as { id: string }[];
  const history = async (as: typeof owner) => await api.call('GET', `/api/v1/deleted-organizations/${id}/history`, as);
  const before = await until('its history begins', async () => {
    const answered = await history(owner);
    return answered.status === 200 && (answered.body.items as Step[]).length > 1 && answered.body;
  });
  expect((before.items as Step[])[0]?.title).toMatch(/^Started by /);
  expect((await history({ as: stranger.sessions.owner, organization: '' })).status).toBe(404);
  await api.call('POST', `/api/v1/deleted-organizations/${id}/purge`, { ...owner, body: { confirmSlug: slug } });
  const { database, keyring, temporal } = api;
  await until('it is purged and archived', async () => {
    await archiveFinished({ database, keyring, temporal, log, metrics: openMetrics(undefined) });
    return (
      (await database.kysely.selectFrom('deletion').select('archived_at').where('id', '=', id).executeTakeFirst())
        ?.archived_at != null
    );
  });
  const after = (await history(owner)).body.items as Step[];
  expect(after.at(-1)).toMatchObject({ kind: 'ended', outcome: 'done' });
  expect((await history({ as: stranger.sessions.owner, organization: '' })).status).toBe(404);
});
