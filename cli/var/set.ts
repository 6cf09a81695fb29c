import { text } from 'node:stream/consumers';
import { stageChanges, tellStaged, variableOf } from '../change-set/stage-changes.ts';
import { command, UsageError } from '../engine/command.ts';
import { canAsk, hidden } from '../engine/question.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, refuseBoth, serviceOptions, sharedOption } from '../place/here.ts';

export const varSet = command({
  summary: 'Stages variables of a service in an environment',
  usage:
    'KEY=VALUE … | KEY [--secret] [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: `A KEY alone takes its value from the standard input, where no history of a shell keeps it; at a terminal it is asked
for. A secret value is stored encrypted and never shown again. They take effect with \`./ballast deploy --staged\`.

A value may refer to others: \${{SERVICE.KEY}}, \${{SERVICE.URL}} (HOST, PORT), \${{shared.KEY}}, \${{KEY}}; $\${{ stands for the text
\${{ itself. Write such values in single quotes.`,
  words: { least: 1, most: 500 },
  options: {
    secret: { type: 'boolean', what: 'The values are secret. A variable that was secret stays so.' },
    ...sharedOption,
    ...serviceOptions,
  },
  run: async ({ secret = false, shared = false, ...given }, words) => {
    const [only = ''] = words;
    const alone = words.length === 1 && !only.includes('=');
    const pairs = alone ? [`${only}=${await givenValue(only)}`] : words;
    for (const pair of pairs) variableOf(pair, undefined, secret);
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const service = shared ? undefined : await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: true });
    const items = pairs.map((pair) => variableOf(pair, service?.id, secret));
    tellStaged(await stageChanges(place.rest, environment, items), environment, given.json);
  },
});

async function givenValue(key: string): Promise<string> {
  if (canAsk()) return await hidden(`Value of ${key}: `);
  const value = process.stdin.isTTY ? '' : (await text(process.stdin)).replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new UsageError(`There is no value for ${key}: write ${key}=VALUE, or give it by the standard input.`);
}
