import { expect, test } from 'vitest';
import { fileApi } from '../../test/api/own-api.ts';

/** Makes the files, or fails. */
let make: () => Promise<{ script: Buffer; archive: Buffer }>;
const api = await fileApi({ clientProgram: () => make(), env: { RATE_LIMIT_ANONYMOUS_PER_MINUTE: '4' } });

test('it is given to everybody, as a file and as a package, so many times a minute; where it cannot be made the log says why', async () => {
  make = async () => ({ script: Buffer.from('#!/usr/bin/env node'), archive: Buffer.from([0x1f, 0x8b]) });
  const script = await api.call('GET', '/api/v1/cli/ballast.mjs');
  expect([script.status, script.text]).toEqual([200, '#!/usr/bin/env node']);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  const archive = await api.call('GET', '/api/v1/cli/ballast.tgz');
  expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/gzip']);

  make = () => Promise.reject(new Error('The disk is full.'));
  const failed = await api.call('GET', '/api/v1/cli/ballast.tgz');
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '10']);
  expect(failed.text).not.toContain('disk');
  expect(api.lines.map(({ msg }) => msg)).toContain('The command line cannot be made');
  await api.call('GET', '/api/v1/cli/ballast.tgz');
  expect((await api.call('GET', '/api/v1/cli/ballast.tgz')).status).toBe(429);
});
