import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { detect, withoutDockerfiles } from '../../domain/detection/detect.ts';
import { gitUrlFault } from '../../domain/git/address.ts';
import { isImageReference, parseImage } from '../../domain/services/image-reference.ts';
import { pathFault } from '../../domain/services/source-faults.ts';
import { slugOf } from '../../domain/slug.ts';
import { folderTree } from '../build/folder-tree.ts';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { findBelonging } from '../place/belonging.ts';

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
  if (/^(?:\.{0,2}\/|~)/.test(word)) throw new UsageError(`${printable(word)} is not there.`);
  // As Docker tells a registry from the first part of a name.
  const [first = '', ...others] = word.split('/');
  const isHost = others.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (parseImage(word)?.own === true) return { kind: 'registry', reference: word };
  if (!isHost) return { kind: 'docker', tag: word };
  if (isImageReference(word)) return { kind: 'registry', reference: word };
  throw new UsageError(
    `"${printable(word)}" is no image of a registry, such as registry.example.com/team/app:1.2, with lower-case names, and no file here.`,
  );
}

/** A repository as somebody names it: `https://github.com/team/app.git`, or `team/app` of a connection. */
export function gitSource(named: Omit<GitSource, 'kind'>): GitSource {
  const { url, context = '', connection } = named;
  const fault = connection === undefined ? gitUrlFault(url) : undefined;
  if (fault !== undefined) throw new UsageError(`${printable(url)} ${fault}.`);
  const path = pathFault(context);
  if (path !== undefined) throw new UsageError(`${printable(context)} ${path}.`);
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
