import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type NameAtHome, nameAtHome } from '../../domain/services/image-reference.ts';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { tokenWay } from '../image/registry-way.ts';
import { meant, type Project } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import type { ImageSource } from './image-source.ts';

/**
 * The image as the control plane's registry knows it, if it is one of that: by its address, by `<organization>/<project>/<service>`, or,
 * where the Docker engine here has no such tag, in short. A short name is told, since it could have meant another one.
 */
export async function atHome(source: ImageSource, here: Here, signal: AbortSignal): Promise<ImageSource> {
  if (source.kind === 'registry') {
    const named = nameAtHome(source.reference, [new URL(here.rest.url).host]);
    return named === undefined ? source : inRepository(named, source.reference, here);
  }
  if (source.kind !== 'docker' || source.certain === true) return source;
  const named = nameAtHome(source.tag, []);
  if (named === undefined || (await isTagHere(source.tag))) return source;
  const [found, another] = await repositoriesWith(named, here, signal);
  if (found === undefined) return source;
  const tag = printable(source.tag);
  if (another !== undefined) {
    const names = [found, another].map((path) => path.split('/').slice(1).join('/'));
    throw new UsageError(`${tag} is an image of several projects: name one of ${names.join(', ')}, with the tag.`);
  }
  const hub = source.tag.includes('/') ? source.tag : `library/${source.tag}`;
  process.stderr.write(
    `${tag} is an image of this installation's registry, ${found}; docker.io/${printable(hub)} names one of Docker Hub, docker:${tag} a tag of the engine here.\n`,
  );
  return inRepository({ ...named, path: found.split('/') }, source.tag, here);
}

function inRepository(named: NameAtHome, word: string, { organization }: Here): ImageSource {
  const [owner, project, service] = named.path;
  if (project === undefined || service === undefined || named.path.length !== 3) {
    throw new UsageError(
      `${printable(word)} is in no repository of this installation's registry: these are named ${organization.slug}/<project>/<service>.`,
    );
  }
  const { tag, digest } = named;
  const version = digest === undefined ? `:${tag ?? 'latest'}` : `${tag === undefined ? '' : `:${tag}`}@${digest}`;
  return { kind: 'registry', reference: `${owner}/${project}/${service}${version}`, at: { project, service } };
}

/** The repositories that have this very image, as far as the token may see. */
async function repositoriesWith({ path, tag, digest }: NameAtHome, here: Here, signal: AbortSignal): Promise<string[]> {
  const { rest, organization } = here;
  const [service = ''] = path.slice(-1);
  const slugs = path.length === 2 ? path.slice(0, 1) : path.length === 1 ? await projects() : [];
  const way = tokenWay(rest.credential, signal);
  const found = slugs.map(async (project) => {
    const repository = `${organization.slug}/${project}/${service}`;
    const { status } = await way.ask('HEAD', `/v2/${repository}/manifests/${digest ?? tag ?? 'latest'}`, {});
    return status === 200 ? [repository] : [];
  });
  return (await Promise.all(found)).flat();

  async function projects(): Promise<string[]> {
    const all = await rest.all<Project>('/projects');
    const { project } = here.wanted;
    const chosen = project === undefined ? all : [meant(all, project)];
    return chosen.flatMap((one) => one?.slug ?? []);
  }
}

/** Whether the Docker engine here, if there is one, has the tag. */
async function isTagHere(tag: string): Promise<boolean> {
  const child = spawn('docker', ['image', 'inspect', '--format', '{{.Id}}', '--', tag], { stdio: 'ignore' });
  return await once(child, 'close').then(
    ([code]) => code === 0,
    () => false,
  );
}
