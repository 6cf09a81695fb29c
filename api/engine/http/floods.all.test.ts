import { test } from 'vitest';
import { api, everythingAnswers, heldRequests, hold, many, ours, post } from '../../../test/api/held-requests.ts';
import { until } from '../../../test/ground/until.ts';

heldRequests();

test('a thousand requests whose bodies never come stop nobody, and are refused before their bodies', async () => {
  const paths = [
    '/agent/v1/report',
    '/agent/v1/enrol',
    '/api/v1/teams',
    '/trpc/teams.create',
    '/api/v1/token-exchange',
  ];
  const asked = await Promise.all(
    Array.from({ length: many }, (_, index) => hold(api, post(paths[index % paths.length] ?? '', 100))),
  );
  await everythingAnswers(api, ours);
  const needCredential = asked.filter(
    (_, index) => !['/agent/v1/enrol', '/api/v1/token-exchange'].includes(paths[index % paths.length] ?? ''),
  );
  await until('all without a credential are refused', async () =>
    needCredential.every(({ read }) => /^HTTP\/1\.1 4(?:03|29)/.test(read)),
  );
  await until('and their connections are over', async () => needCredential.every(({ closed }) => closed));
  await everythingAnswers(api, ours);
});
