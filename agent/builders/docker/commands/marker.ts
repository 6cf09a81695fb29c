import { createHash } from 'node:crypto';

/**
 * Names the commands of a build among those that the engine runs. The same service in the same environment has the same marker each
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
 * The marker is one more host that is reached without a proxy. BuildKit gives these arguments to each command, and leaves them out of
 * its cache and of the image.
 */
export function withMarker(args: Readonly<Record<string, string>>, marker: string): Record<string, string> {
  const name = Object.keys(args).find((one) => one.toLowerCase() === 'no_proxy') ?? 'NO_PROXY';
  const hosts = [args[name] ?? '', marker].filter((host) => host !== '');
  return { ...args, [name]: hosts.join(',') };
}
