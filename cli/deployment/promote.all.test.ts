import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { type End, PromotedShop } from '../../test/deployments/promoted-shop.ts';
import { until } from '../../test/ground/until.ts';

const joined = await joinedCluster();
afterAll(() => joined.close());

test.each<End>([
  ['failed', 1, 'failed', (of) => of.roll('failed')],
  ['rejected', 3, 'rejected', (of) => of.decide('rejected')],
  ['cancelled', 4, 'cancelled', (of) => of.drop('person')],
  ['superseded', 7, 'superseded', (of) => of.drop('superseded')],
])('%s', async (_, code, state, end) => {
  const of = await PromotedShop.open(joined);
  const words = [...of.words, '--from', 'staging', '--to', 'production', '--accept-missing', '--wait', '--json'];
  const ended = joined.ballast([...words, '--reason', 'Two days']);
  await until('the promotion is held', () => of.held());
  await end(of);
  const { code: is, out, err } = await ended;
  expect([is, err]).toEqual([code, expect.any(String)]);
  expect(JSON.parse(out)).toMatchObject({
    approval: { kind: 'promote', reason: 'Two days' },
    deployment: { kind: 'promote', state },
    release: { number: 2, promotedFromReleaseId: of.releaseId },
  });
});
