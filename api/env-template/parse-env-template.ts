import { z } from 'zod';
import { parseEnvTemplate } from '../../domain/env-template/parse.ts';
import { operation } from '../engine/operation.ts';
import { envTemplateKey } from './env-template-key.ts';

/** As large as files are that detection reads. */
const longest = 256 * 1024;

export const parseTemplate = operation({
  method: 'POST',
  url: '/api/v1/env-template/parse',
  summary: 'Tell what has to be filled in of a template of variables such as .env.example',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  body: z.strictObject({
    text: z.string().max(longest).meta({ writeOnly: true }).describe('`KEY=value`, a line each, with comments.'),
  }),
  result: z
    .object({ keys: z.array(envTemplateKey).describe('In the order of the text, at most 1,000.') })
    .meta({ id: 'EnvTemplate' }),
  status: 200,
  async handle({ body }) {
    return { keys: parseEnvTemplate(body.text) };
  },
});
