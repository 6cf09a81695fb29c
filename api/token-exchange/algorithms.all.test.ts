import { afterAll, expect, test } from 'vitest';
import { audience, exchangedOf, github, jobExchange } from '../../test/identity/job-exchange.ts';
import { jobIssuer } from '../../test/identity/job-issuer.ts';

const jobs = await jobExchange();
afterAll(() => jobs.close());

test.each(['PS256', 'ES256'])('a job is trusted that is signed with %s', async (algorithm) => {
  const signer = await jobIssuer(algorithm);
  try {
    const other = await jobs.api.organization();
    await jobs.trust(other, { issuer: signer.url });
    const token = await signer.token({ aud: audience, ...github });
    expect(exchangedOf(await jobs.exchange(token, other.slug)).token.role).toBe('deployer');
  } finally {
    await signer.close();
  }
});
