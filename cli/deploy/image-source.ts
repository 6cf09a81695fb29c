import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { checkLayout } from '../../agent/images/layout/layout.ts';
import { detect, withoutDockerfiles } from '../../domain/detection/detect.ts';
import { gitUrlFault } from '../../domain/git/address.ts';
import { isImageReference, type NameAtHome, nameAtHome, parseImage } from '../../domain/services/image-reference.ts';
import { pathFault } from '../../domain/services/source-faults.ts';
import { slugOf } from '../../domain/slug.ts';
import { folderTree } from '../build/list-folder.ts';
import { UsageError } from '../engine/command.ts';
import type { Progress } from '../engine/progress.ts';
import { printable, said } from '../engine/table.ts';
import { buildImage } from '../image/build.ts';
import { dockerArchive, unpackArchive } from '../image/docker-archive.ts';
import { pushLayout, tokenWay } from '../image/push-layout.ts';
import { findBelonging } from '../place/belonging.ts';
import { meant, type Project } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import type { Complete } from './missing.ts';

/** An image as somebody names it. */
export type ImageSource =
  /** `dockerfile`: nothing but its Dockerfile says how it is built. `refusal`: only a folder within it that the service remembers may be built. */
  | { kind: 'folder'; folder: string; context?: string; dockerfile?: true; refusal?: string }
  | { kind: 'layout'; layout: string }
  | { kind: 'archive'; file: string }
  /** `certain`: it was said to be one, so that it is looked for nowhere else. */
  | { kind: 'docker'; tag: string; certain?: true }
  /** `at`: project and service whose repository in the control plane's registry has it. */
  | { kind: 'registry'; reference: string; at?: { project: string; service: string } }
  | GitSource;

/** A repository that the cluster builds: by its address, or by its name at a Git connection. */
export interface GitSource {
  kind: 'git';
  url: string;
  branch?: string | undefined;
  context?: string | undefined;
  connection?: string | undefined;
}

/** Files go before names: `app` is the folder of that name, if there is one, and `docker:app` the tag. */
export function imageSource(word: string, context?: string): ImageSource {
  if (word.startsWith('docker:')) return { kind: 'docker', tag: word.slice('docker:'.length), certain: true };
  if (/^(?:https?|ssh|git):\/\/|^git@/i.test(word)) return gitSource({ url: word });
  // By the version alone, of the repository of the service itself.
  if (/^[:@]/.test(word) && isImageReference(word)) return { kind: 'registry', reference: word };
  const path = resolve(word);
  if (existsSync(path))
    return statSync(path).isDirectory() ? ofDirectory(path, context) : { kind: 'archive', file: path };
  if (/^(?:\.{0,2}\/|~)/.test(word)) throw new UsageError(said`${word} is not there.`);
  // As Docker tells a registry from the first part of a name.
  const [first = '', ...others] = word.split('/');
  const isHost = others.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (parseImage(word)?.own === true) return { kind: 'registry', reference: word };
  if (!isHost) return { kind: 'docker', tag: word };
  if (isImageReference(word)) return { kind: 'registry', reference: word };
  throw new UsageError(
    said`"${word}" is no image of a registry, such as registry.example.com/team/app:1.2, with lower-case names, and no file here.`,
  );
}

/** A repository as somebody names it: `https://github.com/team/app.git`, or `team/app` of a connection. */
export function gitSource(named: Omit<GitSource, 'kind'>): GitSource {
  const { url, context = '', connection } = named;
  const fault = connection === undefined ? gitUrlFault(url) : undefined;
  if (fault !== undefined) throw new UsageError(said`${url} ${fault}.`);
  const path = pathFault(context);
  if (path !== undefined) throw new UsageError(said`${context} ${path}.`);
  return { kind: 'git', ...named };
}

/** The name of a repository at a connection: an address is cut down to its path. */
export function repositoryOf({ url }: GitSource): string {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  return path.replace(/^\/+|(?:\.git)?\/*$/g, '');
}

/** `context`: of one application in a folder of several. */
function ofDirectory(path: string, context?: string): ImageSource {
  if (context === undefined && existsSync(join(path, 'index.json'))) return { kind: 'layout', layout: path };
  const tree = folderTree(path);
  const folder = { kind: 'folder' as const, folder: path, ...(context === undefined ? {} : { context }) };
  const { plan, message } = detect(withoutDockerfiles(tree), context);
  if (plan !== undefined || (context === undefined && existsSync(join(path, 'package.json')))) return folder;
  if (detect(tree, context).plan?.provider === 'dockerfile') return { ...folder, dockerfile: true };
  const refusal = `${path} cannot be deployed as it is. ${message}`;
  // A service was deployed from here before: it may know which of several applications is meant.
  if (context === undefined && findBelonging(path)?.belonging.service !== undefined) return { ...folder, refusal };
  throw new UsageError(refusal);
}

/** The refusal of a folder that only an engine builds, where the cluster has none. */
export function refuseDockerfile(source: ImageSource): void {
  if (source.kind === 'folder' && source.refusal !== undefined) throw new UsageError(source.refusal);
  if (source.kind !== 'folder' || source.dockerfile === undefined) return;
  throw new UsageError(
    `${source.folder} cannot be deployed as it is: only its Dockerfile says how it is built, and no cluster with the driver docker builds here. Build it by \`docker build\`, and name the tag.`,
  );
}

/** The directory that the deployment belongs to. */
export function directoryOf(source: ImageSource | undefined): string {
  return source?.kind === 'folder' ? source.folder : process.cwd();
}

/** A name for the service, where nobody gave one. */
export function nameOf(source: ImageSource): string {
  const found = slugOf(plainName(source));
  return found === '' ? 'app' : found;
}

function plainName(source: ImageSource): string {
  switch (source.kind) {
    case 'folder':
      return basename(source.context === undefined ? source.folder : resolve(source.folder, source.context));
    case 'layout':
      return basename(basename(source.layout).startsWith('.') ? dirname(source.layout) : source.layout);
    case 'archive':
      return basename(source.file).replace(/\.(?:tar|tgz|tar\.gz)$/, '') || extname(source.file);
    case 'docker':
      return repositoryName(source.tag);
    case 'registry':
      return source.at?.service ?? repositoryName(source.reference);
    case 'git':
      return repositoryOf(source).split('/').at(-1) ?? '';
  }
}

function repositoryName(reference: string): string {
  return (reference.split('/').at(-1) ?? '').replace(/[:@].*$/, '');
}

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
    said`${tag} is an image of this installation's registry, ${found}; docker.io/${hub} names one of Docker Hub, docker:${tag} a tag of the engine here.\n`,
  );
  return inRepository({ ...named, path: found.split('/') }, source.tag, here);
}

function inRepository(named: NameAtHome, word: string, { organization }: Here): ImageSource {
  const [owner, project, service] = named.path;
  if (project === undefined || service === undefined || named.path.length !== 3) {
    throw new UsageError(
      said`${word} is in no repository of this installation's registry: these are named ${organization.slug}/<project>/<service>.`,
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

/** An image that is ready to be pushed, or a reference that others can pull by themselves. */
type ReadyImage = { reference: string } | { path: string; remove(): Promise<void> };

const nothing = async () => {};

/** Builds or saves it, before anything is created. */
export async function readyImage(
  source: Exclude<ImageSource, GitSource>,
  progress: Progress,
  signal: AbortSignal,
): Promise<ReadyImage> {
  switch (source.kind) {
    case 'registry':
      return { reference: source.reference };
    case 'layout':
      await checkLayout(source.layout);
      return { path: source.layout, remove: nothing };
    case 'archive':
      progress.running('image', 'the archive is read');
      return await unpackedArchive(source.file, signal);
    case 'folder': {
      progress.running('image', 'the image is built');
      const { layout } = await buildImage(source.folder, undefined, signal);
      progress.done('image', 'the image is built');
      return { path: layout, remove: nothing };
    }
    case 'docker': {
      progress.running('image', 'the image is read from Docker');
      const archive = await dockerArchive(source.tag, signal);
      try {
        return await unpackedArchive(archive.file, signal);
      } finally {
        await archive.remove();
        progress.done('image', 'the image is read from Docker');
      }
    }
  }
}

async function unpackedArchive(file: string, signal: AbortSignal): Promise<ReadyImage> {
  const path = await unpackArchive(file, signal);
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    await checkLayout(path);
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The image as the source of the service names it: one that was pushed by its digest alone. */
export async function pushImage(
  image: ReadyImage,
  { rest, organization }: Here,
  { project, service }: Complete,
  progress: Progress,
  signal: AbortSignal,
): Promise<string> {
  if ('reference' in image) return image.reference;
  const repository = `${organization.slug}/${project.slug}/${service.slug}`;
  const sent = new Map<string, { sent: number; size: number; reused: boolean }>();
  const onBlob = ({ digest, ...blob }: { digest: string; size: number; sent: number; reused: boolean }) => {
    // Two variants of an image share most of their layers: the second finds them there.
    sent.set(digest, { ...blob, reused: blob.reused && sent.get(digest)?.reused !== false });
    progress.running('push', `the image is pushed: ${amount([...sent.values()])}`);
  };
  progress.forget('image');
  progress.running('push', 'the image is pushed');
  const { digest } = await pushLayout(image.path, { ...rest.credential, repository }, { onBlob, signal });
  const pushed = [...sent.values()].filter(({ reused }) => !reused);
  const size = pushed.length === 0 ? 'nothing new in it' : megabytes(pushed.reduce((sum, one) => sum + one.size, 0));
  progress.done('push', `the image is pushed, ${size}`);
  return `@${digest}`;
}

function amount(blobs: readonly { sent: number; size: number }[]): string {
  const sum = (of: 'sent' | 'size') => blobs.reduce((total, blob) => total + blob[of], 0);
  return `${megabytes(sum('sent'))} of ${megabytes(sum('size'))}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
