import { importVariables } from './import-variables.ts';
import { listReferrers } from './list-referrers.ts';
import { listVariables } from './list-variables.ts';
import { variableHistory } from './variable-history.ts';

export const variables = {
  list: listVariables,
  history: variableHistory,
  referrers: listReferrers,
  import: importVariables,
};
