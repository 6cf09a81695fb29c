import { basename } from 'node:path';
import { detect } from '../../domain/detection/detect.ts';
import { noSource } from '../../domain/services/settings.ts';
import { folderTree } from '../build/list-folder.ts';
import { variableOf } from '../change-set.ts';
import { downtimeOption } from '../deployment/downtime.ts';
import { exitCodes, exitCodesText } from '../deployment/follow.ts';
import { readWaiting, waitOptions } from '../deployment/waiting.ts';
import { command, UsageError } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/given.ts';
import { eventsOption, Progress } from '../engine/progress.ts';
import { said } from '../engine/table.ts';
import { findBelonging, writeBelonging } from '../place/belonging.ts';
import { type Here, here, serviceOptions } from '../place/here.ts';
import { applyAndFollow, followBuilt } from './apply-and-follow.ts';
import { changesFor, nothingStaged } from './apply-draft.ts';
import { buildBehindApproval, buildsThere, folderChanges, isOneChangeSet } from './build-folder.ts';
import { tellVariables } from './findings.ts';
import {
  atHome,
  directoryOf,
  type GitSource,
  gitSource,
  type ImageSource,
  imageSource,
  nameOf,
  pushImage,
  readyImage,
  refuseDockerfile,
} from './image-source.ts';
import { Interrupt } from './interrupt.ts';
import { type Complete, createMissing, mayCreate } from './missing.ts';
import { withRepository } from './repository.ts';
import { existingTarget, type Target, targetOf } from './target.ts';

export const deploy = command({
  summary: 'Deploys an image to an environment and prints its address',
  usage: `[IMAGE | --git URL [--branch BRANCH] [--connection NAME]] [--context DIR] [--project PROJECT] [--service SERVICE]
  [--environment ENVIRONMENT] [--port N] [--set KEY=VALUE …] [--message TEXT] [--staged] [--force] [--yes] [--all]
  [--accept-downtime] [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: `IMAGE is one of these; without one it is the working directory, if that can be deployed.
  a folder             uploaded, without what its .gitignore and .dockerignore leave out, and built on the cluster;
                       where that builds nothing, a folder with a package.json is built here
  a layout or archive  an OCI image layout, or a file of \`docker save\`
  app:1.2              a tag of the Docker engine here (docker:app:1.2 to be clear), else an image of this installation's
                       registry: ORGANIZATION/PROJECT/SERVICE:1.2, PROJECT/SERVICE:1.2, SERVICE:1.2, or :1.2 and
                       @sha256:… of the service itself
  registry.example.com/app:1.2   of another registry, docker.io/library/redis:7 of Docker Hub
  https://…            a repository, as after --git: the cluster builds its branch

Without --environment it means staging, the oldest environment that is not production; production has to be named. A project
and a service that are missing are created, after one question. The directory remembers in .ballast/project where it belongs.
The image is staged and applied at once, together with --set, --port and all that you have staged of the service; other
services stay as they are staged, unless it is --all. Changes of the service that others have staged are listed, and go along
only if you say so. A deployment that is refused or interrupted before leaves the staged changes as they were. Where nothing
is staged and the last deployment of the service failed or was cancelled, it is tried again; what is live already is not
deployed again without --force.

The new release starts beside the old one and takes over in one step once it is healthy; until then, and if it fails, the old
one serves.
${exitCodesText}`,
  options: {
    image: { type: 'string', value: 'IMAGE', what: 'The same as the word IMAGE.' },
    git: {
      type: 'string',
      value: 'URL',
      what: 'A repository that the cluster builds, https://github.com/team/app.git.',
    },
    branch: { type: 'string', value: 'BRANCH', what: "Its branch; else the environment's, or its default one." },
    context: {
      type: 'string',
      value: 'DIR',
      what: 'The folder of the application, of a repository or folder that has several.',
    },
    connection: { type: 'string', value: 'NAME', what: 'The Git connection that reaches it, of a private one.' },
    port: { type: 'string', value: 'N', what: 'Where it listens, told to it as PORT; 8080 by default.' },
    set: { type: 'string', multiple: true, value: 'KEY=VALUE', what: 'Set a variable; may be repeated.' },
    message: { type: 'string', short: 'm', value: 'TEXT', what: 'Why, for people who read the history.' },
    staged: { type: 'boolean', what: 'Deploy what is staged, without a new image.' },
    yes: { type: 'boolean', short: 'y', what: 'Create what is missing without asking.' },
    all: { type: 'boolean', what: 'Deploy all that is staged there, also by others.' },
    force: { type: 'boolean', what: 'Deploy the service again even if the very same is live.' },
    ...downtimeOption,
    ...waitOptions,
    ...serviceOptions,
    ...eventsOption,
  },
  run: async (
    { image, port, set = [], message, staged = false, yes = false, all = false, force = false, ...given },
    [word],
  ) => {
    const waiting = readWaiting(given);
    const number = wholeNumberOf('--port', port, 1, 65_535);
    for (const pair of set) variableOf(pair, '');
    const named = sourceFrom(word ?? image, given, staged);
    const directory = directoryOf(named);
    const place = await here(given, directory);
    const interrupt = new Interrupt();
    await interrupt.around(async () => {
      // A directory remembers the service of one folder within it, and this is another.
      const within = named?.kind === 'folder' && named.context !== undefined ? { service: nameOf(named) } : {};
      const theirs = { ...place.wanted, ...(given.service === undefined ? within : {}) };
      const early = { ...place, rest: place.rest.until(interrupt.signal), wanted: theirs };
      const source = named && (await atHome(named, early, interrupt.signal));
      const target = await (source === undefined
        ? existingTarget(early)
        : targetOf(early, suggested(source, early, directory)));
      if (source?.kind === 'folder' && source.refusal !== undefined && target.service === undefined)
        throw new UsageError(source.refusal);
      if (source !== undefined && !(await mayCreate(target, early, yes))) return void tellNothing();
      const wanted = { port: number, variables: set };
      const { 'accept-downtime': downtimeAccepted = false } = given;
      const asked = { message, all, downtimeAccepted, force };
      if (source?.kind === 'folder' && (await buildsThere(early.rest, target.environment, source))) {
        const to = await createMissing(early, target, number, interrupt);
        const how = { ...wanted, ...asked, context: source.context, refusal: source.refusal, waiting };
        const changes = await folderChanges(early, to, source.folder, how, interrupt);
        if (await isOneChangeSet(early.rest, to, changes)) {
          await applyAndFollow(place, to, changes, asked, waiting, interrupt);
          return rememberUnlessCancelled(directory, place, to);
        }
        const build = await buildBehindApproval(early, to, changes, how, interrupt);
        if (build !== exitCodes.cancelled) remember(directory, place, to);
        if (typeof build !== 'number') return await followBuilt(place, to, build, waiting, interrupt);
        process.exitCode = build;
        return;
      }
      if (source === undefined) {
        const { to, items } = await withoutImage(early, target, wanted);
        if (force && to.service === undefined) throw new UsageError('Say by --service what --force deploys again.');
        const changes = { items, serviceId: undefined };
        return await applyAndFollow(place, to, changes, asked, waiting, interrupt);
      }
      refuseDockerfile(source);
      if (source.kind === 'folder' && source.context !== undefined)
        throw new UsageError(
          said`--context is for what a cluster builds, and none builds here: deploy ${source.context} itself.`,
        );
      const { to, items } = await (source.kind === 'git'
        ? withRepository(early, target, source, wanted, interrupt)
        : withImage(early, target, source, wanted, interrupt));
      const changes = { items, serviceId: all ? undefined : to.service.id };
      const repository = source.kind === 'git';
      await applyAndFollow(place, to, changes, { ...asked, repository }, waiting, interrupt);
      rememberUnlessCancelled(directory, place, to);
    });
  },
});

interface GitOptions {
  git?: string | undefined;
  branch?: string | undefined;
  context?: string | undefined;
  connection?: string | undefined;
}

function sourceFrom(word: string | undefined, git: GitOptions, staged: boolean): ImageSource | undefined {
  const { git: url, branch, context, connection } = git;
  if ((word !== undefined || url !== undefined) && staged)
    throw new UsageError('--staged deploys no new image; leave one of the two out.');
  if (word !== undefined && url !== undefined) throw new UsageError('Name an image, or --git a repository, not both.');
  const source = url === undefined ? word && imageSource(word, context) : gitSource({ url, connection });
  const more = { branch, context, connection };
  if (source && source.kind === 'git') return gitSource({ url: source.url, ...more });
  for (const [name, value] of Object.entries({ branch, connection }))
    if (value !== undefined) throw new UsageError(`--${name} is of a repository: name one by --git URL.`);
  if (context !== undefined && (staged || (source && source.kind !== 'folder')))
    throw new UsageError('--context is a folder within a repository or a folder, and this is neither.');
  if (source || staged) return source || undefined;
  try {
    return imageSource(process.cwd(), context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message} Name an image, or give --staged to deploy what is staged; see --help.`);
  }
}

function suggested(source: ImageSource, { wanted }: Here, directory: string): { project: string; service: string } {
  if (source.kind === 'registry') {
    if (source.at !== undefined) return source.at;
    if (/^[:@]/.test(source.reference) && wanted.service === undefined)
      throw new UsageError(`Say by --service whose image ${source.reference} is.`);
  }
  const service = nameOf(source);
  if (source.kind === 'git') return { service, project: service };
  const project = source.kind === 'folder' ? nameOf({ kind: 'folder', folder: source.folder }) : basename(directory);
  return { service, project: project || service };
}

interface ImageOptions {
  port: number | undefined;
  variables: readonly string[];
}

async function withImage(
  place: Here,
  target: Target,
  source: Exclude<ImageSource, GitSource>,
  wanted: ImageOptions,
  interrupt: Interrupt,
) {
  const progress = new Progress(process.stderr);
  try {
    const ready = await readyImage(source, progress, interrupt.signal);
    try {
      interrupt.check();
      interrupt.leaves('Nothing was deployed; the same command goes on where it stopped.');
      const to = await createMissing(place, target, wanted.port, interrupt);
      if (source.kind === 'folder')
        await tellVariables(place.rest, to, detect(folderTree(source.folder)).detected, wanted.variables);
      const imageRepository = await pushImage(ready, place, to, progress, interrupt.signal);
      interrupt.leaves(nothingStaged);
      const { registryCredentialId: id } = to.service.source;
      // The credential of an outside registry stays with the service; the own registry needs none.
      const credential = id === undefined ? {} : { registryCredentialId: id };
      const image = { ...noSource, ...credential, imageRepository };
      return { to, items: await changesFor(place.rest, to, { source: image, ...wanted }) };
    } finally {
      if ('remove' in ready) await ready.remove();
    }
  } finally {
    progress.end();
  }
}

async function withoutImage(place: Here, { project, environment, service }: Target, wanted: ImageOptions) {
  if (project === undefined || environment === undefined) throw new Error('There is nothing to deploy to.');
  if (wanted.port === undefined && wanted.variables.length === 0) {
    return { to: { project, environment, ...(service === undefined ? {} : { service }) }, items: [] };
  }
  if (service === undefined) throw new UsageError('Say by --service which service --set and --port are for.');
  const to = { project, environment, service };
  return { to, items: await changesFor(place.rest, to, wanted) };
}

/** A service that was created and is not wanted after all is not there any more. */
function rememberUnlessCancelled(directory: string, place: Here, to: Complete): void {
  if (process.exitCode !== exitCodes.cancelled) remember(directory, place, to);
}

/** A directory that remembers something already keeps it: `./ballast link` changes that. */
function remember(directory: string, { organization, named }: Here, { project, service, environment }: Complete): void {
  if (findBelonging(directory) !== undefined) return;
  try {
    const written = writeBelonging(directory, {
      organization: organization.slug,
      project: project.slug,
      service: service.slug,
      ...(named && !environment.production ? { environment: environment.slug } : {}),
    });
    if (written !== undefined) process.stderr.write(`Remembered in ${written}.\n`);
  } catch (error) {
    // A directory that cannot be written to deploys all the same.
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`Not remembered: ${why}; name --project and --service the next time.\n`);
  }
}

function tellNothing(): void {
  process.stderr.write('Nothing was created or deployed.\n');
  process.exitCode = 4;
}
