import { changedProcess, newProcess } from '../services/process-faults.ts';
import { defaultProcess, type PlacedProcess, type ReleaseContent, type ServiceSettings } from '../services/settings.ts';
import { changesOf } from './changes-of.ts';
import type { FileProcess, FrozenConfig } from './effective.ts';

/**
 * The settings with what a file says over them. A process is found by its name; one that the settings do not have is new. How many
 * replicas run of the others people decide.
 */
export function withFile(settings: ServiceSettings, file: FrozenConfig | undefined): ServiceSettings {
  if (file === undefined) return settings;
  const { processes, releaseCommand, releaseCommandTimeoutSeconds, dependsOn } = file.effective;
  const ids = new Map(Object.entries(settings.processes).map(([id, { name }]) => [name, id]));
  const own = processes.map((process) => {
    const id = ids.get(process.name);
    const before = id === undefined ? undefined : settings.processes[id];
    return [id ?? `file:${process.name}`, placed(process, before)] as const;
  });
  return {
    ...settings,
    ...(releaseCommand.length === 0 ? {} : { releaseCommand }),
    ...(releaseCommandTimeoutSeconds === undefined ? {} : { releaseCommandTimeoutSeconds }),
    dependsOn: [...new Set([...settings.dependsOn, ...dependsOn])],
    processes: { ...settings.processes, ...Object.fromEntries(own) },
  };
}

/** A release as it runs: its file is part of its settings, and the variables of the file lie beneath its own. */
export function effectiveContent(content: ReleaseContent): ReleaseContent {
  const { file, ...rest } = content;
  if (file === undefined) return content;
  return {
    ...rest,
    settings: withFile(content.settings, file),
    variables: { ...file.effective.env, ...content.variables },
  };
}

function placed(process: FileProcess, before: PlacedProcess | undefined): PlacedProcess {
  const { name, replicas = 1 } = process;
  const changes = changesOf(process);
  if (before === undefined) return { ...newProcess({ ...changes, replicas }), name };
  // A program that is named alone does not get the arguments that were meant for another one.
  const alone = process.entrypoint.length > 0 && process.cmd.length === 0 ? { args: [] } : {};
  const changed = { ...before, ...changedProcess(before, { ...changes, ...alone }), name };
  if (process.kind === '' || process.kind === before.kind) return changed;
  // Settings that the other kind of process had alone.
  const listens = process.kind === 'http' || process.kind === 'tcp';
  const { port = defaultProcess.port } = changed;
  return { ...changed, schedule: process.schedule, ...(listens && port !== undefined ? { port } : {}) };
}
