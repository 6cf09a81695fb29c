import type { Deeds } from '../audit-log/deed.ts';
import { plainDeed } from '../audit-log/plain-deeds.ts';

export const kinds = { workflow: 'Workflow' };

export const deeds: Deeds<'workflow'> = {
  'workflow.exported': plainDeed('Exported', 'exported the history of the workflow'),
};
