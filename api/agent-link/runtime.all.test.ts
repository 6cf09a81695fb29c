import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCluster } from '../../db/clusters/clusters.ts';
import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';

test('the runtime is downloaded whole, with its digest', async () => {
  const api = await runningApi();
  try {
    const organizationId = await seedOrganization(api.database);
    const { secret } = await api.effect(async (running) =>
      createEnrollmentToken(running, await createCluster(running, { organizationId, name: 'Machine' })),
    );
    const agent = new PeerAgent(api.url);
    agent.credential = secret;
    const node = await agent.call('GET', 'runtime');
    expect(`sha256:${createHash('sha256').update(node.bytes).digest('hex')}`).toBe(
      node.headers.get('x-ballast-digest'),
    );
  } finally {
    await api.close();
  }
});
