import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { proxyTo } from '../../test/ground/proxy.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';
import { registryWorld, tokenOf } from '../../test/registry/registry-world.ts';
import { pushLayout } from './push-layout.ts';

const world = await registryWorld();
afterAll(() => world.close());

test('goes on where the connection broke', async () => {
  // More than the buffers on the way can hold, so that bytes are left for the second break.
  const { layout, digest } = await handMadeLayout([randomBytes(40_000_000)], { compression: 'tar' });
  const proxy = await proxyTo(new URL(world.api.url).host);
  const target = {
    url: `http://${proxy.address}`,
    repository: world.repository.path,
    token: tokenOf(world.organization.tokens.deployer),
  };
  try {
    let cuts = 0;
    const pushed = await pushLayout(layout, target, {
      onBlob: (one) => {
        if (one.size < 1_000_000) return;
        if (cuts < 2 && one.sent > 2_000_000 * (cuts + 1)) {
          cuts += 1;
          void proxy.restore();
        }
      },
    });
    expect(pushed.digest).toBe(digest);
    expect(cuts).toBe(2);
  } finally {
    await proxy.close();
    rmSync(layout, { recursive: true });
  }
});
