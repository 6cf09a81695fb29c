import type { z } from 'zod';
import type { whySchema } from '../api/why/why.ts';
import { command, UsageError } from './engine/command.ts';
import { type Rest, RestRefusal } from './engine/rest.ts';
import { inParts, said } from './engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from './place/chosen.ts';
import { environmentOptions, here, type TargetOptions } from './place/here.ts';

type Why = z.output<typeof whySchema>;

const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const why = command({
  summary: 'Says in five lines what a service, a deployment or an environment waits for or failed by',
  usage: '[SERVICE | DEPLOYMENT] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `What it waits for or failed by, since when, what was tried, who can change it, and how. Without a word it is all of the
environment, the worst first, at most five. A deployment is named by its id, as \`./ballast status --json\` has it.`,
  options: environmentOptions,
  run: async (given, [word]) => {
    const answer = await asked(given, word);
    const told = [...answer.items, ...(answer.unbuilt ?? []), ...(answer.suspended ?? []), ...(answer.drift ?? [])];
    const nothing = 'Nothing waits, and nothing failed.';
    return { json: answer, text: inParts(...told.map(({ lines }) => lines.map(lineText).join(''))) || nothing };
  },
});

async function asked(given: TargetOptions, word: string | undefined): Promise<Why> {
  const place = await here({ ...given, ...(word === undefined || isId.test(word) ? {} : { service: word }) });
  if (word !== undefined && isId.test(word)) {
    const found = await ofDeployment(place.rest, word);
    if (found !== undefined) return found;
    if (given.project === undefined && place.wanted.project === undefined) {
      throw new UsageError(`There is no deployment ${word}; of a service say --project, too.`);
    }
    place.wanted.service = word;
  }
  const project = await chosenProject(place);
  const environment = await chosenEnvironment(place, project, { change: false });
  if (word === undefined) return await place.rest.call<Why>('GET', `/environments/${environment.id}/why`);
  const service = await chosenService(place, project);
  return await place.rest.call<Why>('GET', `/services/${service.id}/why?environmentId=${environment.id}`);
}

/** Undefined: it is no deployment. */
async function ofDeployment(rest: Rest, id: string): Promise<Why | undefined> {
  try {
    return await rest.call<Why>('GET', `/deployments/${id}/why`);
  } catch (error) {
    if (error instanceof RestRefusal && error.status === 404) return undefined;
    throw error;
  }
}

function lineText({ topic, text, at }: Why['items'][number]['lines'][number]): string {
  return said`${topic.padEnd(5)}  ${at === undefined ? text : `${text} ${at}`}\n`;
}
