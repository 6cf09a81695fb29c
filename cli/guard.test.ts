import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../test/clusters/joined-cluster.ts';
import { seedPlace } from '../test/seeds/seed-place.ts';

const joined = await joinedCluster();
afterAll(() => joined.close());

const ballast = (...words: string[]) => joined.ballast(words);

interface Shown {
  attention: { kind: string; loosening?: { id: string } }[];
}

test('attention shows a guard that was loosened with the command that undoes it, once', async () => {
  const { api, ours } = joined;
  const place = await seedPlace(api.database, ours.organizationId, { production: true });
  const service = `/api/v1/services/${place.serviceId}`;
  const as = ours.sessions.admin;
  await api.call('PATCH', service, { as, body: { skipProductionApproval: true } });
  const json = JSON.parse((await ballast('attention', '--json')).out) as Shown;
  const id = json.attention.find(({ kind }) => kind === 'guard.loosened')?.loosening?.id ?? '';
  const { out } = await ballast('attention');
  expect(out).toContain('needs no approvals in production any more, by ');
  expect(out).toContain(`nothing was deployed meanwhile; \`./ballast guard undo ${id}\` undoes it`);
  expect(await ballast('guard', 'undo', id)).toMatchObject({ code: 0, out: expect.stringMatching(/^Undone: /) });
  expect((await api.call('GET', service, { as })).body).toMatchObject({ skipProductionApproval: false });
  expect(await ballast('guard', 'undo', id, '--json')).toMatchObject({
    code: 1,
    err: expect.stringContaining('undone already'),
  });
  expect((await ballast('attention')).out).toContain('; undone by ');
});
