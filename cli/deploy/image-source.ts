import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { detect, withoutDockerfiles } from '../../domain/detection/detect.ts';
import { isImageReference } from '../../domain/services/image-reference.ts';
import { slugOf } from '../../domain/slug.ts';
import { folderTree } from '../build/folder-tree.ts';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';

/** An image as somebody names it. */
export type ImageSource =
  /** `dockerfile`: nothing but its Dockerfile says how it is built. */
  | { kind: 'folder'; folder: string; dockerfile?: true }
  | { kind: 'layout'; layout: string }
  | { kind: 'archive'; file: string }
  | { kind: 'docker'; tag: string }
  | { kind: 'registry'; reference: string };

/** Files go before names: `app` is the folder of that name, if there is one, and `docker:app` the tag. */
export function imageSource(word: string): ImageSource {
  if (word.startsWith('docker:')) return { kind: 'docker', tag: word.slice('docker:'.length) };
  const path = resolve(word);
  if (existsSync(path)) return statSync(path).isDirectory() ? ofDirectory(path) : { kind: 'archive', file: path };
  if (/^(?:\.{0,2}\/|~)/.test(word)) throw new UsageError(`${printable(word)} is not there.`);
  // As Docker tells a registry from the first part of a name.
  const [first = '', ...others] = word.split('/');
  const isHost = others.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (!isHost) return { kind: 'docker', tag: word };
  if (isImageReference(word)) return { kind: 'registry', reference: word };
  throw new UsageError(
    `"${printable(word)}" is no image of a registry, such as registry.example.com/team/app:1.2, with lower-case names, and no file here.`,
  );
}

function ofDirectory(path: string): ImageSource {
  if (existsSync(join(path, 'index.json'))) return { kind: 'layout', layout: path };
  const tree = folderTree(path);
  const { plan, message } = detect(withoutDockerfiles(tree));
  if (plan !== undefined || existsSync(join(path, 'package.json'))) return { kind: 'folder', folder: path };
  if (detect(tree).plan?.provider === 'dockerfile') return { kind: 'folder', folder: path, dockerfile: true };
  throw new UsageError(`${path} cannot be deployed as it is. ${message}`);
}

/** The refusal of a folder that only an engine builds, where the cluster has none. */
export function refuseDockerfile(source: ImageSource): void {
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
      return basename(source.folder);
    case 'layout':
      return basename(basename(source.layout).startsWith('.') ? dirname(source.layout) : source.layout);
    case 'archive':
      return basename(source.file).replace(/\.(?:tar|tgz|tar\.gz)$/, '') || extname(source.file);
    case 'docker':
      return repositoryName(source.tag);
    case 'registry':
      return repositoryName(source.reference);
  }
}

function repositoryName(reference: string): string {
  return (reference.split('/').at(-1) ?? '').replace(/[:@].*$/, '');
}
