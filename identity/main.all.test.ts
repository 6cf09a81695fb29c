import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bareEnvironment } from '../test/ground/bare-environment.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

test.each([
  [{ OIDC_ISSUER: 'https://accounts.example.com', OIDC_CLIENT_ID: 'ballast' }, /^OIDC_ISSUER names another provider/],
  [{ BUILT_IN_PROVIDER_SOCKET: '' }, /^BUILT_IN_PROVIDER_SOCKET is not set; set it/],
])('%j is refused in a sentence', async (changed, sentence) => {
  const env = { ...bareEnvironment, BUILT_IN_PROVIDER_SOCKET: '/tmp/identity.sock', ...changed };
  const { code, said } = await new Promise<{ code: unknown; said: string }>((resolve) =>
    execFile(process.execPath, ['--disable-warning=ExperimentalWarning', main], { env }, (error, out, err) =>
      resolve({ code: error?.code, said: out + err }),
    ),
  );
  expect(code).toBe(1);
  expect(said).toMatch(sentence);
  expect(said).not.toMatch(/\n\s+at /);
});
