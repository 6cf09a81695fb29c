import type { ProcessChanges } from '../services/process-faults.ts';
import type { FileProcess } from './effective.ts';

/** The settings of a process that the file gives. */
export function changesOf(process: FileProcess): ProcessChanges {
  const { kind, entrypoint, cmd, schedule, checks, cpu, memory, metrics } = process;
  const said = {
    ...{ kind, command: entrypoint, args: cmd, schedule, port: process.port, runAsUser: process.runAsUser },
    fixedPort: process.fixedPort,
    ...{ startupPath: checks.startup, readinessPath: checks.readiness, livenessPath: checks.liveness },
    ...{ drainSeconds: process.drainSeconds, stabilizationSeconds: process.stabilizationSeconds },
    ...{ cpuRequestMilli: cpu.request, cpuLimitMilli: cpu.limit },
    ...{ memoryRequestBytes: memory.request, memoryLimitBytes: memory.limit },
    ...{ metricsEnabled: metrics.enabled, metricsPath: metrics.path, metricsPort: metrics.port },
  };
  const isSaid = (value: unknown) =>
    value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(said).filter(([, value]) => isSaid(value)));
}
