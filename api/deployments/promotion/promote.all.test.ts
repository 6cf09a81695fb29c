import { describe, expect, test } from 'vitest';
import { noSource } from '../../../domain/services/settings.ts';
import { ok } from '../../../test/api/client.ts';
import {
  at,
  both,
  type Created,
  created,
  image,
  liveFrom,
  promotions,
  refusalOf,
  sourceIn,
} from '../../../test/api/promotions.ts';
import { imageDigests } from '../../../test/seeds/apply-ground.ts';

const { apply, call, create, goLive, releaseOf, stage, variable, decide } = at;

promotions();

describe('a promotion to production', () => {
  test('rejected, it changes nothing: what is applied next has the image of before', async () => {
    const { second } = await both();
    const { approval } = await created(at.production, second);
    ok(await decide(approval?.id, 'rejected'));
    expect(await sourceIn(at.production)).toBe(`${at.host}/app:1`);
    at.tagged = imageDigests[1];
    // As of a service whose settings were applied while it was suspended: no release was made of them.
    await at.ours.rows.set('environment_service', { environment_id: at.production }, { applied_digest: null });
    expect(await releaseOf(await liveFrom(at.production, variable('B', '1')))).toMatchObject({ imageRef: image(0) });
  });

  test('is undone by a rollback, with its source; then it may be promoted again', async () => {
    const { first, second } = await both();
    const { approval, deployment } = await created(at.production, second);
    ok(await decide(approval?.id));
    await goLive(deployment.id);
    expect(await refusalOf(at.production, second)).toEqual([409, expect.stringContaining('is live in "Production"')]);
    const back = (await call('POST', `/releases/${first}/rollback`, {})).body as unknown as Created;
    ok(await decide(back.approval?.id));
    await goLive(back.deployment.id);
    expect(await sourceIn(at.production)).toBe(`${at.host}/app:1`);
    await created(at.production, second);
  });

  test('the first deployment may be a promotion, of a service that has no image there yet', async () => {
    const second = await liveFrom(at.staging, create());
    const source = { kind: 'service.set', serviceId: at.service.serviceId, key: 'source', value: noSource };
    await stage(at.production, create(), source);
    const { approval: added } = await apply(at.production);
    ok(await decide(added?.id));
    const { approval, deployment } = await created(at.production, second);
    ok(await decide(approval?.id));
    await goLive(deployment.id);
    expect(await sourceIn(at.production)).toBe(image(0));
  });
});
