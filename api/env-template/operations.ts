import { z } from 'zod';
import { parseEnvTemplate } from '../../domain/env-template/parse.ts';
import { operation } from '../engine/operation.ts';

export const envTemplateKey = z
  .object({
    key: z.string(),
    comment: z.string().describe('The lines above it, and what stands behind its value.'),
    example: z.string().describe('The value in the template.'),
    required: z.boolean().describe('The template has no value that can be used, and does not call it optional.'),
    placeholder: z.boolean().describe('The example stands for a value, such as `your-api-key`.'),
    secretSuggested: z.boolean(),
    generateSuggested: z.boolean().describe('Any random text will do.'),
    existing: z.boolean().describe('The variable is set already, where the template is compared with an environment.'),
    providedBy: z
      .string()
      .describe('Who gives it if nobody sets it: `platform`, `project` (shared); empty for nobody.'),
  })
  .meta({ id: 'EnvTemplateKey' });

/** As large as files are that detection reads. */
const longest = 256 * 1024;

const parseTemplate = operation({
  method: 'POST',
  url: '/api/v1/env-template/parse',
  summary: 'Tell what has to be filled in of a template of variables such as .env.example',
  role: 'viewer',
  projectTokens: 'allowed',
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

export const envTemplate = { parse: parseTemplate };
