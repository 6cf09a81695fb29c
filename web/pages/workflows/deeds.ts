import { type Deeds, plainDeed } from '../audit-log/deed.ts';

export const kinds = { workflow: 'Workflow' };

export const deeds: Deeds<'workflow'> = {
  'workflow.exported': plainDeed('Exported', 'exported the history of the workflow'),
};
