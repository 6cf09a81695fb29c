import { importVariables } from './import-variables.ts';
import { listVariables } from './list-variables.ts';

export const variables = { list: listVariables, import: importVariables };
