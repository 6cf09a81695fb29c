import { z } from 'zod';
import { operation } from '../engine/operation.ts';

export const getVersion = operation({
  method: 'GET',
  url: '/api/v1/version',
  summary: 'Get the installed version',
  scope: 'public',
  problems: [],
  result: z.object({ version: z.string() }).meta({ id: 'Version' }),
  async handle({ server }) {
    return { version: server.version };
  },
});
