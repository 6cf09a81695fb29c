import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { RestRefusal } from '../engine/rest.ts';
import { placeIn } from './workload-words.ts';

interface Named {
  name: string;
  image?: unknown;
}

/**
 * Layouts of a cluster on this machine may be named as seen from the file. They are looked at before anything is sent:
 * nobody else can say sooner that a directory is not there.
 */
export function withLocalLayouts<Workload extends Named>(workloads: readonly Workload[], file: string): Workload[] {
  const base = file === '-' ? process.cwd() : dirname(resolve(file));
  return workloads.map((workload) => {
    const layout = layoutOf(workload.image);
    if (layout === undefined || layout === '') return workload;
    const path = isAbsolute(layout) ? layout : join(base, layout);
    if (existsSync(join(path, 'index.json')))
      return { ...workload, image: { ...Object(workload.image), layout: path } };
    const what = existsSync(path) ? 'is no image layout: it has no index.json' : 'is not there';
    const help = '`./ballast image build` builds one';
    throw new RestRefusal(`${placeIn(file, workload.name, 'image.layout')}: ${path} ${what}; ${help}.`);
  });
}

function layoutOf(image: unknown): string | undefined {
  if (typeof image !== 'object' || image === null || !('layout' in image)) return undefined;
  return typeof image.layout === 'string' ? image.layout : undefined;
}
