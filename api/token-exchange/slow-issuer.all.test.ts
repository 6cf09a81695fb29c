import { expect, test } from 'vitest';
import { audience } from '../../test/identity/job-exchange.ts';
import { jobIssuer } from '../../test/identity/job-issuer.ts';
import { runningApi } from '../../test/installation/running-api.ts';

test('504 when the issuer takes longer than a request may', async () => {
  const hasty = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', REQUEST_TIMEOUT: '2s' } });
  const silent = await jobIssuer();
  try {
    const whose = await hasty.organization();
    const made = await whose.sessions.admin.post('/trusted-issuers', {
      name: 'silent',
      issuer: silent.url,
      audience,
      claims: { ref: ['x'] },
      role: 'viewer',
    });
    expect(made.status, made.text).toBe(201);
    await silent.behave({ silent: true });
    const token = await silent.token({ aud: audience, ref: 'x' });
    const answered = await hasty.call('POST', '/api/v1/token-exchange', {
      body: { organization: whose.slug, token },
    });
    expect(answered.status, answered.text).toBe(504);
  } finally {
    await silent.close();
    await hasty.close();
  }
});
