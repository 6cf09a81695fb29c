import { join, posix } from 'node:path';
import type { BuildPlan } from '../../../domain/detection/build-plan.ts';
import { type HostConfig, writeHostImage } from '../../images/layout/host-image.ts';
import { LayoutWriter } from '../../images/layout/layout-writer.ts';
import { serverProgram } from '../static/server-program.ts';
import { appLayer } from './app-layer.ts';
import type { BaseLayer } from './base-layer.ts';
import { entrypointOf } from './start.ts';

const node = '/usr/local/bin/node';
const served = 'public';

/** Writes the image of what a build has left in its source. The same files make the same image, whenever and wherever. */
export async function writeImage(
  { source, layout, base }: { source: string; layout: string; base: BaseLayer },
  plan: BuildPlan,
  signal: AbortSignal,
): Promise<{ bytes: number }> {
  const writer = await LayoutWriter.in(layout);
  const isStatic = plan.kind === 'static';
  const program = serverProgram();
  const more = isStatic ? [{ from: program.path, to: `app/${program.name}` }] : [];
  const archive = appLayer(source, plan, isStatic ? served : '', more);
  const app = await writer.layer(archive, signal);
  // A program that Node starts comes with it; of programs of its own nothing else is known.
  const needsNode = isStatic || plan.provider === 'node' || plan.toolchain.some(({ name }) => name === 'node');
  const layers = needsNode ? [await base.into(layout, signal), app] : [app];
  const directory = join(source, plan.directory);
  const config: HostConfig = {
    Entrypoint: isStatic ? [node, program.name, served] : entrypointOf(plan.start, directory, plan.startIn),
    Env: Object.entries({
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...(needsNode && { NODE_ENV: 'production' }),
      ...plan.environment,
    })
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
    WorkingDir: posix.join('/app', plan.startIn),
    ...(plan.port > 0 && { ExposedPorts: { [`${plan.port}/tcp`]: {} } }),
  };
  await writeHostImage(writer, layers, config);
  const bytes = layers.reduce((sum, { size }) => sum + size, 0);
  return { bytes };
}
