import { z } from 'zod';
import { operation } from '../engine/operation.ts';

const getOpenapi = operation({
  method: 'GET',
  url: '/api/openapi.json',
  summary: 'Get this description of the API, as OpenAPI 3.1',
  scope: 'public',
  document: true,
  result: z.record(z.string(), z.unknown()).describe('An OpenAPI 3.1 document.'),
  async handle({ server }) {
    return server.openapi();
  },
});

export const reference = { openapi: getOpenapi };
