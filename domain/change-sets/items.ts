import type { ProcessField, ServiceField } from '../services/field-rules.ts';

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

/**
 * The states of a change set that was applied: held until it is approved; applying while its deployments run; applied when
 * all of them are live. Changes that are still staged are a draft, which has no state.
 */
export const changeSetStates = ['held', 'applying', 'applied', 'failed', 'rejected', 'expired', 'cancelled'] as const;
export type ChangeSetState = (typeof changeSetStates)[number];

export const finalChangeSetStates = [
  'applied',
  'failed',
  'rejected',
  'expired',
  'cancelled',
] as const satisfies readonly ChangeSetState[];

export function isChangeSetOver(state: ChangeSetState): boolean {
  return finalChangeSetStates.some((one) => one === state);
}

interface Named {
  kind: ItemKind;
  key: string;
  service: string;
  process: string;
}

/** The names of settings, as people read them. */
const settingLabels: Readonly<Record<ProcessField | ServiceField, string>> = {
  source: 'Source',
  releaseCommand: 'Release command',
  releaseCommandTimeoutSeconds: 'Time for the release command',
  dependsOn: 'Dependencies',
  kind: 'Kind',
  command: 'Command',
  args: 'Arguments',
  port: 'Port',
  fixedPort: 'Fixed port',
  replicas: 'Replicas',
  runAsUser: 'User',
  upstream: 'Upstream protocol',
  schedule: 'Schedule',
  timeZone: 'Time zone',
  overlap: 'Overlapping runs',
  livenessPath: 'Liveness path',
  readinessPath: 'Readiness path',
  startupPath: 'Startup path',
  metricsEnabled: 'Metrics',
  metricsPath: 'Metrics path',
  metricsPort: 'Metrics port',
  cpuLimitMilli: 'CPU limit',
  cpuRequestMilli: 'CPU request',
  memoryLimitBytes: 'Memory limit',
  memoryRequestBytes: 'Memory request',
  drainSeconds: 'Time to drain',
  stabilizationSeconds: 'Time to stay healthy',
  nodePrivateNet: 'Private network of the node',
};

function settingOf(key: string): string {
  return Object.entries(settingLabels).find(([field]) => field === key)?.[1] ?? key;
}

/** A change in words. */
export function itemLabel({ kind, key, service, process }: Named): string {
  switch (kind) {
    case 'variable.set':
    case 'variable.unset':
      return service === '' ? `Shared variable ${key}` : `Variable ${key}`;
    case 'file.set':
    case 'file.unset':
      return `File ${key}`;
    case 'service.create':
    case 'service.remove':
      return `Service ${service}`;
    case 'service.set':
      return `${settingOf(key)} of ${service}`;
    case 'process.create':
    case 'process.delete':
      return `Process ${process}`;
    case 'process.set':
      return `${settingOf(key)} of ${process}`;
    case 'volume.create':
    case 'volume.delete':
      return `Volume ${key} of ${process}`;
    case 'volume.grow':
      return `Size of the volume ${key}`;
  }
}
