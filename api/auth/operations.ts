import { z } from 'zod';
import { operation } from '../engine/operation.ts';
import { callback } from './callback.ts';
import { start } from './start.ts';

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

export const auth = { start, callback, config };
