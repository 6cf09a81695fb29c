import { ApiTokenProjectSchema, ApiTokenSchema } from './api-token.ts';

export const apiTokens = [ApiTokenSchema, ApiTokenProjectSchema] as const;
