import { UsageError } from '../engine/command.ts';
import { agreed, canAsk } from '../engine/question.ts';
import { Rest } from '../engine/rest.ts';
import { said } from '../engine/table.ts';
import { chosenEnvironment, type Environment, type Project, type Service } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import type { ServiceCreated } from '../service/service.ts';
import type { Interrupt } from './interrupt.ts';
import type { Target } from './target.ts';

export interface Complete {
  project: Project;
  environment: Environment;
  service: Service;
}

/** Asks once whether to create what is missing; answers false if somebody said no. */
export async function mayCreate({ project, service, names }: Target, here: Here, yes: boolean): Promise<boolean> {
  const missing = [
    ...(project === undefined ? [said`the project ${names.project}, with a production and a staging environment`] : []),
    ...(service === undefined ? [said`the service ${names.service}, in ${names.environment}`] : []),
  ];
  if (missing.length === 0 || yes) return true;
  if (!canAsk()) {
    throw new UsageError(`This would create ${missing.join(' and ')}: give --yes to create it, or name what is there.`);
  }
  const { slug } = here.organization;
  process.stderr.write(`This creates in ${slug}:\n${missing.map((line) => `  ${line}\n`).join('')}`);
  return await agreed('Create it and deploy?');
}

/** A service that is created is staged to be added; where nothing comes of the deployment, it is discarded with that. */
export async function createMissing(
  here: Here,
  target: Target,
  port: number | undefined,
  interrupt: Interrupt,
): Promise<Complete> {
  const { rest } = here;
  const project = target.project ?? (await newProject(here, target.names.project));
  const wanted = { ...here.wanted, environment: target.names.environment };
  const environment = target.environment ?? (await chosenEnvironment({ ...here, wanted }, project, { change: true }));
  if (target.service !== undefined) return { project, environment, service: target.service };
  const { service, changeSet } = await rest.call<ServiceCreated>('POST', `/projects/${project.id}/services`, {
    name: target.names.service,
    environmentId: environment.id,
    ...(port === undefined ? {} : { process: { port } }),
  });
  const staged = changeSet.items.find((item) => item.kind === 'service.create' && item.serviceId === service.id);
  // By a connection of its own: that of the command is given up by Ctrl-C.
  const always = new Rest(rest);
  if (staged !== undefined) interrupt.undoneBy(() => always.call('DELETE', `/change-set-items/${staged.id}`));
  return { project, environment, service };
}

async function newProject({ rest }: Here, name: string): Promise<Project> {
  return (await rest.call<{ project: Project }>('POST', '/projects', { name })).project;
}
