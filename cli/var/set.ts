import { text } from 'node:stream/consumers';
import { type BuildTime, buildTimes, isPublicByName } from '../../domain/variables/build-time.ts';
import { stageChanges, tellStaged, variableOf } from '../change-set/stage-changes.ts';
import { command, UsageError } from '../engine/command.ts';
import { canAsk, hidden } from '../engine/question.ts';
import { printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, refuseBoth, serviceOptions, sharedOption } from '../place/here.ts';

export const varSet = command({
  summary: 'Stages variables of a service in an environment',
  usage:
    'KEY=VALUE … | KEY [--secret] [--build-time WHEN] [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: `A KEY alone takes its value from the standard input, where no history of a shell keeps it; at a terminal it is asked
for. A secret value is stored encrypted and never shown again. They take effect with \`./ballast deploy --staged\`.

A value may refer to others: \${{SERVICE.KEY}}, \${{SERVICE.URL}} (HOST, PORT), \${{shared.KEY}}, \${{KEY}}; $\${{ stands for the text
\${{ itself. Write such values in single quotes.

Builds see a variable only if --build-time says so: also, or only, and then no release has it. A secret that is to be seen by builds is given
its value again; a variable of builds leads to no other secret. In production a build of anything but the head of the connected branch waits
until an admin approves that it sees them.`,
  words: { least: 1, most: 500 },
  options: {
    secret: { type: 'boolean', what: 'The values are secret. A variable that was secret stays so.' },
    'build-time': { type: 'string', value: 'WHEN', what: 'Whether builds see them: no, also, or only.' },
    ...sharedOption,
    ...serviceOptions,
  },
  run: async ({ secret = false, shared = false, 'build-time': when, ...given }, words) => {
    const buildTime = buildTimeOf(when);
    const [only = ''] = words;
    const alone = words.length === 1 && !only.includes('=');
    const pairs = alone ? [`${only}=${await givenValue(only)}`] : words;
    for (const pair of pairs) variableOf(pair, undefined);
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const service = shared ? undefined : await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: true });
    const items = pairs.map((pair) => variableOf(pair, service?.id, { secret, buildTime }));
    tellStaged(await stageChanges(place.rest, environment, items), environment, given.json);
    const names = items.map(({ key }) => key).filter(isPublicByName);
    if (buildTime === undefined && !secret && names.length > 0)
      process.stderr.write(
        `Frameworks write ${names.join(', ')} into pages when they build: --build-time also says so.\n`,
      );
  },
});

export function buildTimeOf(given: string | undefined): BuildTime | undefined {
  const found = buildTimes.find((one) => one === given);
  if (given === undefined || found !== undefined) return found;
  throw new UsageError(`--build-time is one of ${buildTimes.join(', ')}, and not "${printable(given)}".`);
}

async function givenValue(key: string): Promise<string> {
  if (canAsk()) return await hidden(`Value of ${key}: `);
  const value = process.stdin.isTTY ? '' : (await text(process.stdin)).replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new UsageError(`There is no value for ${key}: write ${key}=VALUE, or give it by the standard input.`);
}
