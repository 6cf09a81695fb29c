import { exportHistory } from './export-history.ts';
import { getWorkflow } from './get-workflow.ts';
import { listHistory } from './list-history.ts';
import { listWorkflows } from './list-workflows.ts';

export const workflows = { list: listWorkflows, get: getWorkflow, history: listHistory, export: exportHistory };
