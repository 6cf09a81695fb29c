import { createHash } from 'node:crypto';
import { wayOut } from '../builder/way-out.ts';

/**
 * Names the commands of a build among those that its builder runs. The same service in the same environment has the same marker each
 * time, so that a command which prints its variables leaves the digest of its image as it is.
 */
export function markerOf(homeId: string, cacheKey: string): string {
  return `${createHash('sha256').update(cacheKey).digest('hex').slice(0, 16)}.${ofHome(homeId)}`;
}

/** The end of every marker of this agent. */
export function ofHome(homeId: string): string {
  return `${homeId}.ballast.invalid`;
}

/**
 * The way out of commands, with the marker as one more host that is reached without a proxy. BuildKit gives these arguments to each
 * command, whatever the Dockerfile declares, and leaves them out of its cache and of the image.
 */
export function withWayOut(args: Readonly<Record<string, string>>, marker: string): Record<string, string> {
  const others = Object.entries(args).filter(([name]) => !/^(https?|no|all|ftp)_proxy$/i.test(name));
  return { ...Object.fromEntries(others), ...wayOut, NO_PROXY: `${wayOut.NO_PROXY},${marker}` };
}
