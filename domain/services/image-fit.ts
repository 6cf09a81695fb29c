/** The annotation of an image that carries no base system and runs on a host of this kind: `linux/amd64`, with its needs. */
export const hostBound = 'dev.ballast.host-bound';

/** The platform that an image was made for, in the words of the OCI; an empty text is not known. */
export type ImagePlatform = {
  os: string;
  architecture: string;
  /** The host that it was made for, if it has no base system. */
  hostBound?: string;
};

/** A cluster's machine, as its agent told it: `arch` in the words of Node.js. */
export interface Machine {
  cluster: string;
  driver: string;
  os: string;
  arch: string;
}

const architectures = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
]);

export function platformOf(
  { os, architecture }: { os?: unknown; architecture?: unknown },
  annotations: Readonly<Record<string, string>> = {},
): ImagePlatform {
  const bound = annotations[hostBound];
  return { os: textOf(os), architecture: textOf(architecture), ...(bound === undefined ? {} : { hostBound: bound }) };
}

/** The variants of an image that can run there, as the agent will choose among them. */
export function fittingPlatforms<Platform extends ImagePlatform>(
  platforms: readonly Platform[],
  machine: Machine,
): Platform[] {
  return platforms.filter((one) => isMadeFor(one, machine) && isForDriver(one, machine));
}

/** Why none of these variants can run there; undefined if one can, or nothing is known of them. */
export function imageMisfit(platforms: readonly ImagePlatform[], machine: Machine): string | undefined {
  if (platforms.length === 0 || fittingPlatforms(platforms, machine).length > 0) return undefined;
  const { cluster, driver } = machine;
  const made = platforms.filter((one) => isMadeFor(one, machine));
  if (made.length === 0) {
    const kinds = [...new Set(platforms.map(kindOf))].slice(0, 10).join(', ');
    return `it is made for ${kinds}, and the cluster "${cluster}" runs ${hostOf(machine)}`;
  }
  if (driver === 'process') {
    return `it has a base system, and the cluster "${cluster}" runs processes without containers: only an image that is made for it, with the annotation ${hostBound}, runs there`;
  }
  const [bound] = made.flatMap((one) => one.hostBound ?? []);
  return `it carries no base system: it was made for a host of the kind ${bound} with the process driver, and the cluster "${cluster}" runs containers (${driver})`;
}

function isMadeFor(platform: ImagePlatform, machine: Machine): boolean {
  const [os = '', architecture = ''] = kindOf(platform).split('/');
  const [ownOs, ownArchitecture] = hostOf(machine).split('/');
  return (os === '' || os === ownOs) && (architecture === '' || architecture === ownArchitecture);
}

function isForDriver({ hostBound: bound }: ImagePlatform, { driver }: Machine): boolean {
  return (bound !== undefined) === (driver === 'process');
}

/** The annotation counts where there is one: the image runs on that host as it is. */
function kindOf({ os, architecture, hostBound: bound }: ImagePlatform): string {
  return bound?.split(/[\s,;]+/).find((word) => word !== '') ?? `${os}/${architecture}`;
}

function hostOf({ os, arch }: Machine): string {
  return `${os}/${architectures.get(arch) ?? arch}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
