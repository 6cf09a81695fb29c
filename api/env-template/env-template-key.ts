import { z } from 'zod';

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
