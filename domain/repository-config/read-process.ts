import { defined } from '../defined.ts';
import { processRules } from '../services/field-rules.ts';
import { newProcess, processFaults } from '../services/process-faults.ts';
import { type ProcessSettings, processKinds } from '../services/settings.ts';
import type { Value } from './document.ts';
import type { FileAmount, FileProcess } from './effective.ts';
import type { Problems } from './problems.ts';
import { Fields } from './read-fields.ts';
import { changesOf } from './summary.ts';

const keys = [
  ...['kind', 'entrypoint', 'cmd', 'port', 'fixedPort', 'replicas', 'runAsUser', 'schedule', 'checks', 'cpu', 'memory'],
  ...['drainSeconds', 'stabilizationSeconds', 'metrics'],
];
const cores = { m: 1 };
const bytes = { Ki: 1_024, Mi: 1_024 ** 2, Gi: 1_024 ** 3, k: 1_000, M: 1_000 ** 2, G: 1_000 ** 3 };

export function readProcess(name: string, value: Value, path: string, problems: Problems): FileProcess {
  const fields = new Fields(value, path, keys, problems);
  const checks = new Fields(fields.value('checks'), `${path}.checks`, ['startup', 'readiness', 'liveness'], problems);
  const metrics = new Fields(fields.value('metrics'), `${path}.metrics`, ['enabled', 'path', 'port'], problems);
  const amounts = (key: 'cpu' | 'memory'): FileAmount => {
    const both = new Fields(fields.value(key), `${path}.${key}`, ['request', 'limit'], problems);
    const [units, rule] = key === 'cpu' ? [cores, processRules.cpuLimitMilli] : [bytes, processRules.memoryLimitBytes];
    return defined({ request: both.amount('request', units, rule), limit: both.amount('limit', units, rule) });
  };
  const process: FileProcess = {
    name,
    kind: fields.oneOf('kind', processKinds),
    entrypoint: fields.texts('entrypoint', processRules.command, '[node, server.js]'),
    cmd: fields.texts('cmd', processRules.args, '[--verbose]'),
    schedule: fields.text('schedule', processRules.schedule),
    checks: {
      startup: checks.text('startup', processRules.startupPath),
      readiness: checks.text('readiness', processRules.readinessPath),
      liveness: checks.text('liveness', processRules.livenessPath),
    },
    cpu: amounts('cpu'),
    memory: amounts('memory'),
    metrics: {
      path: metrics.text('path', processRules.metricsPath),
      ...defined({ enabled: metrics.flag('enabled'), port: metrics.number('port', processRules.metricsPort) }),
    },
    ...defined({
      port: fields.number('port', processRules.port),
      fixedPort: fields.flag('fixedPort'),
      replicas: fields.number('replicas', processRules.replicas),
      runAsUser: fields.number('runAsUser', processRules.runAsUser),
      drainSeconds: fields.number('drainSeconds', processRules.drainSeconds),
      stabilizationSeconds: fields.number('stabilizationSeconds', processRules.stabilizationSeconds),
    }),
  };
  if (process.kind === '' && process.schedule !== '') fields.fault('schedule', 'is for processes of kind: cron.');
  if (process.kind !== '') {
    for (const { field, message } of processFaults(newProcess(changesOf(process))))
      problems.add(fields.line(keyOf[field] ?? '') || value.line, `${path}.${keyOf[field] ?? field}`, `${message}.`);
  } else if (process.cpu.limit !== undefined || process.memory.limit !== undefined) {
    for (const [key, { request = 0, limit = request }] of [
      ['cpu', process.cpu],
      ['memory', process.memory],
    ] as const)
      if (request > limit) fields.fault(key, 'request is more than the limit.');
  }
  return process;
}

/** Where the file has a setting of a process that does not fit. */
const keyOf: Partial<Record<keyof ProcessSettings, string>> = {
  startupPath: 'checks',
  readinessPath: 'checks',
  livenessPath: 'checks',
  cpuRequestMilli: 'cpu',
  memoryRequestBytes: 'memory',
  metricsPort: 'metrics',
  schedule: 'schedule',
  port: 'port',
};
