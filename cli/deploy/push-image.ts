import { rm } from 'node:fs/promises';
import { checkLayout } from '../../agent/images/layout/layout-files.ts';
import type { Progress } from '../engine/progress.ts';
import { dockerArchive } from '../image/docker-archive.ts';
import { buildImage } from '../image/node-image.ts';
import { pushLayout } from '../image/push-layout.ts';
import { unpackArchive } from '../image/unpack-archive.ts';
import type { Here } from '../place/here.ts';
import type { GitSource, ImageSource } from './image-source.ts';
import type { Complete } from './missing.ts';

/** An image that is ready to be pushed, or a reference that others can pull by themselves. */
export type ReadyImage = { reference: string } | { path: string; remove(): Promise<void> };

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
