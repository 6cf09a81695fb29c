import { z } from 'zod';
import { operation } from '../engine/operation.ts';
import { beginSignIn } from './begin-sign-in.ts';
import { callback } from './callback.ts';
import { isThisMachine } from './provider.ts';
import { ourPath } from './return-to.ts';

const authConfigSchema = z
  .object({
    issuer: z.string().describe('The OpenID provider that people sign in with.'),
    providerName: z.string().describe('What it is called on the sign-in page.'),
    version: z.string().describe('The version of this installation.'),
  })
  .meta({ id: 'AuthConfig' });

const config = operation({
  method: 'GET',
  url: '/api/v1/auth/config',
  summary: 'Get the sign-in configuration',
  scope: 'public',
  result: authConfigSchema,
  async handle({ server: { provider, version } }) {
    return { issuer: provider.issuer, providerName: provider.name, version };
  },
});

const start = operation({
  method: 'GET',
  url: '/api/v1/auth/start',
  summary: 'Sign in',
  description:
    'Redirects the browser to the identity provider, which redirects it back to the callback. The cookie `svc_oidc` binds the sign-in to this browser; it expires after ten minutes.',
  scope: 'public',
  rate: 'credentials',
  redirects: true,
  problems: ['sign-in-refused', 'no-credential'],
  query: z.strictObject({
    return_to: z
      .string()
      .max(2000)
      .optional()
      .describe('The path of a page of this installation to end at; by default the first one.'),
  }),
  result: z.string(),
  async handle({ query, client, server }) {
    const { PUBLIC_URL } = server.settings;
    const returnTo = ourPath(query.return_to, PUBLIC_URL);
    // This machine has more than one name, and a cookie that is set under one is not sent to the callback under another.
    // Elsewhere a proxy is in front, which may well call us by another name than people do.
    if (isThisMachine(PUBLIC_URL) && client.host !== undefined && client.host !== new URL(PUBLIC_URL).host) {
      return `${PUBLIC_URL}/api/v1/auth/start?return_to=${encodeURIComponent(returnTo)}`;
    }
    return await beginSignIn(server, client, { returnTo });
  },
});

export const auth = { start, callback, config };
