import { createHash } from 'node:crypto';
import type { Process, Workload } from '../../../protocol/workload.ts';

/**
 * The label of the settings that an instance was created from, kept with the instance so that it survives any other
 * loss. Only settings that need a new instance are part of it: other checks, replicas or routes restart nothing.
 */
export function labelOf(workload: Workload, process: Process, restart: string | undefined): string {
  const { image } = workload;
  const source = sourceOf(image);
  const inEffect = [
    workload.release,
    { ...source, digest: image.digest },
    Object.entries(workload.environment).sort(([one], [other]) => (one < other ? -1 : 1)),
    process.kind === 'cron',
    [process.command, process.args, process.port, process.upstream, process.runAsUser],
    [process.cpuLimitMilli, process.memoryLimitBytes, process.mounts],
    restart,
    // Instances from before there were networks keep their label.
    ...(workload.network === undefined ? [] : [workload.network.environment]),
    ...(process.fixedPort === true ? [{ fixedPort: true }] : []),
    ...(workload.files === undefined ? [] : [{ files: workload.files }]),
  ];
  const fingerprint = createHash('sha256').update(JSON.stringify(inEffect)).digest('hex').slice(0, 16);
  return `${workload.release}#${fingerprint}`;
}

export function releaseOf(label: string): string {
  const mark = label.lastIndexOf('#');
  return mark === -1 ? label : label.slice(0, mark);
}

function sourceOf(image: Workload['image']) {
  if ('layout' in image) return { layout: image.layout };
  return 'own' in image ? { own: image.own } : { repository: image.repository, tag: image.tag };
}
