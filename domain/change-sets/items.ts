export const itemKinds = [
  'variable.set',
  'variable.unset',
  'file.set',
  'file.unset',
  'service.create',
  'service.set',
  'service.remove',
  'process.create',
  'process.set',
  'process.delete',
  'volume.create',
  'volume.grow',
  'volume.delete',
] as const;
export type ItemKind = (typeof itemKinds)[number];

export const changeSetSources = ['console', 'api', 'cli', 'repository', 'template', 'import'] as const;
export type ChangeSetSource = (typeof changeSetSources)[number];

interface Subject {
  kind: ItemKind;
  serviceId?: string | undefined;
  processId?: string | undefined;
  volumeId?: string | undefined;
  key: string;
}

/**
 * The place that an item changes. There is one item for each place: a later one replaces it. Setting and unsetting a
 * variable are the same place, and so are creating and deleting a process
 * or a volume.
 */
export function slotOf({ kind, serviceId, processId, volumeId, key }: Subject): string {
  const [family = '', verb = ''] = kind.split('.');
  // A volume's item also names its process, with which it goes.
  const subject = `${family} ${volumeId ?? processId ?? serviceId ?? ''}`;
  return ['create', 'delete', 'remove'].includes(verb) ? subject : `${subject} ${key}`;
}
