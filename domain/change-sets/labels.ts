import type { ProcessField, ServiceField } from '../services/field-rules.ts';
import type { ItemKind } from './items.ts';

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
