import { parseTemplate } from './parse-env-template.ts';

export const envTemplate = { parse: parseTemplate };
