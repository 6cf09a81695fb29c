import { basename } from 'node:path';
import { variableOf } from '../change-set/stage-changes.ts';
import { downtimeOption } from '../deployment/downtime.ts';
import { exitCodesText } from '../deployment/outcome.ts';
import { readWaiting, waitOptions } from '../deployment/waiting.ts';
import { command, UsageError } from '../engine/command.ts';
import { Progress } from '../engine/progress.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { findBelonging, writeBelonging } from '../place/belonging.ts';
import { type Here, here, serviceOptions } from '../place/here.ts';
import { applyAndFollow, followBuilt } from './apply-and-follow.ts';
import { draftOf, staysStaged } from './apply-draft.ts';
import { buildFolder, buildsThere } from './build-folder.ts';
import { directoryOf, type ImageSource, imageSource, nameOf, refuseDockerfile } from './image-source.ts';
import { Interrupt } from './interrupt.ts';
import { type Complete, createMissing, mayCreate } from './missing.ts';
import { pushImage, readyImage } from './push-image.ts';
import { stageImage } from './stage-image.ts';
import { existingTarget, type Target, targetOf } from './target.ts';

export const deploy = command({
  summary: 'Deploys an image to an environment and prints its address',
  usage: `[IMAGE] [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--port N] [--set KEY=VALUE …]
  [--message TEXT] [--staged] [--force] [--yes] [--all] [--accept-downtime] [--wait | --no-wait]
  [--timeout 10m] [--json]`,
  details: `IMAGE is a folder with an application, an image layout, an archive of \`docker save\`, a tag of the Docker engine here
(app:1.2, or docker:REF to be clear), or a reference of another registry, which has a host (registry.example.com/app:1.2).
Without one it is the working directory, if that can be deployed. A folder is uploaded, without what its .gitignore and .dockerignore
leave out, and built on the cluster; where that builds nothing, a folder with a package.json is built here.

Without --environment it means staging, the oldest environment that is not production; production has to be named. A project and
a service that are missing are created, after one question. The directory remembers in .ballast/project where it belongs.
The image becomes a staged change, together with --set and --port, and all that you have staged there is applied. Changes
that others have staged are listed, and go along only if you say so. Where nothing is staged and the last deployment of the service
failed or was cancelled, it is tried again; what is live already is not deployed again without --force.

The new release starts beside the old one and takes over in one step once it is healthy; until then, and if it fails, the old one
serves. ${exitCodesText}`,
  words: { least: 0, most: 1 },
  options: {
    image: { type: 'string', value: 'IMAGE', what: 'The same as the word IMAGE.' },
    port: { type: 'string', value: 'N', what: 'Where it listens, told to it as PORT; 8080 by default.' },
    set: { type: 'string', multiple: true, value: 'KEY=VALUE', what: 'Set a variable; may be repeated.' },
    message: { type: 'string', short: 'm', value: 'TEXT', what: 'Why, for people who read the history.' },
    staged: { type: 'boolean', what: 'Deploy what is staged, without a new image.' },
    yes: { type: 'boolean', short: 'y', what: 'Create what is missing without asking.' },
    all: { type: 'boolean', what: 'Deploy what others have staged there, too.' },
    force: { type: 'boolean', what: 'Deploy the service again even if the very same is live.' },
    ...downtimeOption,
    ...waitOptions,
    ...serviceOptions,
  },
  run: async (
    { image, port, set = [], message, staged = false, yes = false, all = false, force = false, ...given },
    [word],
  ) => {
    const waiting = readWaiting(given);
    const number = wholeNumberOf('--port', port, 1, 65_535);
    for (const pair of set) variableOf(pair, '');
    const source = sourceFrom(word ?? image, staged);
    const directory = directoryOf(source);
    const place = await here(given, directory);
    const interrupt = new Interrupt();
    await interrupt.around(async () => {
      const early = { ...place, rest: place.rest.until(interrupt.signal) };
      const target = await (source === undefined
        ? existingTarget(early)
        : targetOf(early, suggested(source, directory)));
      if (source !== undefined && !(await mayCreate(target, early, yes))) return void tellNothing();
      const wanted = { port: number, variables: set };
      const { json = false, 'accept-downtime': downtimeAccepted = false } = given;
      if (source?.kind === 'folder' && (await buildsThere(early.rest, target.environment, source))) {
        const to = await createMissing(early, target, number);
        remember(directory, place, to);
        const asked = { ...wanted, message, all, downtimeAccepted, quiet: json };
        const build = await buildFolder(early, to, source.folder, asked, interrupt);
        if (build === undefined) return void tellNothing();
        return await followBuilt(place, to, build, waiting, json, interrupt);
      }
      if (source !== undefined) refuseDockerfile(source);
      const { to, seen } = await (source === undefined
        ? withoutImage(early, target, wanted)
        : withImage(early, target, source, wanted, interrupt));
      if (source !== undefined) remember(directory, place, to as Complete);
      if (force && to.service === undefined) throw new UsageError('Say by --service what --force deploys again.');
      await applyAndFollow(place, to, seen, { message, all, downtimeAccepted, force }, waiting, json, interrupt);
    });
  },
});

function sourceFrom(word: string | undefined, staged: boolean): ImageSource | undefined {
  if (word !== undefined && staged) throw new UsageError('--staged deploys no new image; leave one of the two out.');
  if (word !== undefined) return imageSource(word);
  if (staged) return undefined;
  try {
    return imageSource(process.cwd());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message} Name an image, or give --staged to deploy what is staged; see --help.`);
  }
}

function suggested(source: ImageSource, directory: string): { project: string; service: string } {
  const service = nameOf(source);
  return { service, project: source.kind === 'folder' ? service : basename(directory) || service };
}

interface Wanted {
  port: number | undefined;
  variables: readonly string[];
}

async function withImage(place: Here, target: Target, source: ImageSource, wanted: Wanted, interrupt: Interrupt) {
  const progress = new Progress(process.stderr);
  try {
    const ready = await readyImage(source, progress, interrupt.signal);
    try {
      interrupt.check();
      interrupt.leaves('Nothing was deployed; the same command goes on where it stopped.');
      const to = await createMissing(place, target, wanted.port);
      const image = await pushImage(ready, place, to, progress, interrupt.signal);
      interrupt.leaves(staysStaged);
      return { to, seen: await stageImage(place.rest, to, { image, ...wanted }) };
    } finally {
      if ('remove' in ready) await ready.remove();
    }
  } finally {
    progress.end();
  }
}

async function withoutImage(place: Here, { project, environment, service }: Target, wanted: Wanted) {
  if (project === undefined || environment === undefined) throw new Error('There is nothing to deploy to.');
  const changes = wanted.port !== undefined || wanted.variables.length > 0;
  if (!changes) {
    const to = { project, environment, ...(service === undefined ? {} : { service }) };
    return { to, seen: await draftOf(place.rest, environment) };
  }
  if (service === undefined) throw new UsageError('Say by --service which service --set and --port are for.');
  const to = { project, environment, service };
  return { to, seen: await stageImage(place.rest, to, { image: undefined, ...wanted }) };
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
