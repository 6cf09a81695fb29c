import { command, UsageError } from '../../engine/command.ts';
import { printable } from '../../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../../place/chosen.ts';
import { here, serviceOptions } from '../../place/here.ts';
import type { Build } from '../follow-build.ts';
import { followOptions, seeBuild } from './see-build.ts';

export const buildCreate = command({
  summary: 'Builds a commit of the repository of a service, and deploys it',
  usage: `[--branch BRANCH] [--commit SHA] [--message TEXT] [--follow] [--image-only] [--project PROJECT]
  [--environment ENVIRONMENT] [--service SERVICE] [--json]`,
  details: `Without --branch it is the branch of the environment, or else the default one of the repository, as it is now. The source and the
settings are those that are applied there; what is staged stays staged. With --follow the log is printed until the build is over: exit
code 1 if it did not succeed.`,
  options: {
    branch: { type: 'string', value: 'BRANCH', what: 'A branch of the repository.' },
    commit: { type: 'string', value: 'SHA', what: 'The whole name of a commit of the branch.' },
    message: { type: 'string', short: 'm', value: 'TEXT', what: 'Why, for people who read the history.' },
    'image-only': { type: 'boolean', what: 'Deploy nothing of it.' },
    ...serviceOptions,
    ...followOptions,
  },
  run: async ({ branch, commit, message, follow = false, 'image-only': imageOnly = false, ...given }) => {
    if (commit !== undefined && !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
      throw new UsageError('--commit is the whole name of a commit, 40 hex digits: `git rev-parse HEAD` prints it.');
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const service = await chosenService(place, project);
    const made = await place.rest.call<Build>('POST', `/services/${service.id}/builds`, {
      environmentId: environment.id,
      deploy: !imageOnly,
      ...(branch === undefined ? {} : { branch }),
      ...(message === undefined ? {} : { message }),
      ...(commit === undefined ? {} : { commitSha: commit }),
    });
    const words = `${made.commitSha.slice(0, 12)} of ${printable(made.branch)} of ${printable(made.repository)}`;
    process.stderr.write(
      `Build #${made.number} of ${printable(service.name)} for ${printable(environment.name)}: ${words}\n`,
    );
    await seeBuild(place.rest, made, { follow, json: given.json });
  },
});
