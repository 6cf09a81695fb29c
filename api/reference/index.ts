import { getOpenapi } from './get-openapi.ts';

export const reference = { openapi: getOpenapi };
