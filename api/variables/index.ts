import { listVariables } from './list-variables.ts';

export const variables = { list: listVariables };
