import type { ProcessChanges } from '../services/process-faults.ts';
import type { FileProcess, RepositoryConfigEffective } from './effective.ts';
import type { ConfigProblem } from './problems.ts';

/** A sentence of what a file says of a service. */
export function summaryOf(effective: RepositoryConfigEffective): string {
  const { builder, dockerfile, target, buildArgs, env, dependsOn, releaseCommand, processes } = effective;
  const stage = target === '' ? '' : `, stage ${target}`;
  const args = Object.keys(buildArgs).length;
  const variables = Object.keys(env).length;
  const parts = [
    ...(builder === 'dockerfile' ? [`the Dockerfile${dockerfile === '' ? '' : ` ${dockerfile}`}${stage}`] : []),
    ...(builder === 'auto' ? ['a build without a Dockerfile'] : []),
    ...(args > 0 ? [counted(args, 'build argument')] : []),
    ...(processes.length > 0
      ? [`${counted(processes.length, 'process', 'processes')} (${processes.map(({ name }) => name).join(', ')})`]
      : []),
    ...(variables > 0 ? [counted(variables, 'variable')] : []),
    ...(releaseCommand.length > 0 ? ['a release command'] : []),
    ...(dependsOn.length > 0 ? [`${counted(dependsOn.length, 'dependency', 'dependencies')}`] : []),
  ];
  return parts.length === 0 ? 'The file sets nothing for this service.' : `The file sets ${listed(parts)}.`;
}

/** A line for a log or an error: `ballast.yaml:3: processes.web.port must be …`. */
export function problemLine(file: string, { line, path, message }: ConfigProblem): string {
  return `${file}${line > 0 ? `:${line}` : ''}: ${path === '' ? '' : `${path}: `}${message}`;
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

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
