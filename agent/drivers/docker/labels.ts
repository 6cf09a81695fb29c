import { type Process, process as processSchema } from '../../../protocol/workload.ts';
import type { InstanceSpec } from '../driver.ts';

/** All that an agent must know of an instance stands on its container, so that another agent can read it back. */
const names = {
  home: 'dev.ballast.home',
  instance: 'dev.ballast.instance',
  key: 'dev.ballast.key',
  release: 'dev.ballast.release',
  image: 'dev.ballast.image',
  process: 'dev.ballast.process',
  environment: 'dev.ballast.environment',
} as const;

export const homeLabel = names.home;
export const instanceLabel = names.instance;
/** On the network of an environment. */
export const environmentLabel = names.environment;

export interface Labelled {
  id: string;
  key: string;
  release: string;
  imageDigest: string;
  process: Process;
}

export function labelsOf(home: string, spec: InstanceSpec): Record<string, string> {
  return {
    [names.home]: home,
    [names.instance]: spec.id,
    [names.key]: spec.key,
    [names.release]: spec.release,
    [names.image]: spec.image.digest,
    [names.process]: JSON.stringify(spec.process),
  };
}

/** Nothing if somebody else made them, or something in them is not to be understood. */
export function readLabels(labels: Readonly<Record<string, string>>): Labelled | undefined {
  const [id, key, release] = [labels[names.instance], labels[names.key], labels[names.release]];
  const imageDigest = labels[names.image];
  const process = processSchema.safeParse(parsed(labels[names.process] ?? ''));
  if (id === undefined || key === undefined || release === undefined || imageDigest === undefined) return undefined;
  return process.success ? { id, key, release, imageDigest, process: process.data } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
