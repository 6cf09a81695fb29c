import type { z } from 'zod';
import type { membershipSchema } from '../../api/organizations/operations.ts';
import { defined } from '../../domain/defined.ts';
import { type Option, UsageError } from '../engine/command.ts';
import { type Address, Rest, restOptions } from '../engine/rest.ts';
import { said } from '../engine/table.ts';
import { type Belonging, findBelonging } from './belonging.ts';

export type Membership = z.output<typeof membershipSchema>;

/** The options by which commands say where they belong. */
export const projectOption = {
  project: { type: 'string', short: 'p', value: 'PROJECT', what: "Slug or name of the project; else the directory's." },
} as const satisfies Record<string, Option>;
export const serviceOption = {
  service: { type: 'string', short: 's', value: 'SERVICE', what: "Slug or name of the service; else the directory's." },
} as const satisfies Record<string, Option>;
/** Of commands about variables. */
export const sharedOption = {
  shared: { type: 'boolean', what: 'Those of the environment, which its services refer to as ${{shared.KEY}}.' },
} as const satisfies Record<string, Option>;
export const environmentOption = {
  environment: {
    type: 'string',
    short: 'e',
    value: 'ENVIRONMENT',
    what: 'Slug or name of the environment; else staging, the oldest one that is not production.',
  },
} as const satisfies Record<string, Option>;

export const projectOptions = { ...projectOption, ...restOptions } as const;
export const environmentOptions = { ...projectOption, ...environmentOption, ...restOptions } as const;
export const serviceOptions = { ...projectOption, ...environmentOption, ...serviceOption, ...restOptions } as const;

export interface TargetOptions extends Address {
  project?: string | undefined;
  environment?: string | undefined;
  service?: string | undefined;
}

/** What a command knows before it asks for a project. */
export interface Here {
  rest: Rest;
  organization: Membership;
  /** As the options say, and the directory where they say nothing. */
  wanted: { project?: string | undefined; environment?: string | undefined; service?: string | undefined };
  /** Whether the environment was named by an option. */
  named: boolean;
  /** The file of a directory that says what no option has said. */
  remembered?: { file: string; says: readonly ('project' | 'environment' | 'service')[] } | undefined;
}

/** A variable is of a service or shared, not both. */
export function refuseBoth(shared: boolean, { service }: TargetOptions): void {
  if (!shared || service === undefined) return;
  throw new UsageError('A shared variable belongs to no service: leave out --service or --shared.');
}

const kinds = ['project', 'environment', 'service'] as const;

export async function here(given: TargetOptions, directory = process.cwd()): Promise<Here> {
  const rest = new Rest(given);
  const [organization] = await rest.all<Membership>('/organizations', 1);
  if (organization === undefined) throw new UsageError('This token belongs to no organization; create another one.');
  const found = findBelonging(directory);
  const counts = found !== undefined && (given.project === undefined || given.project === found.belonging.project);
  if (counts) refuseOther(found.file, found.belonging, organization);
  const { organization: _, ...remembered } = counts ? found.belonging : { organization: '' };
  const { project, environment, service } = given;
  const said = defined({ project, environment, service });
  const says = kinds.filter((kind) => kind in remembered && !(kind in said));
  const wanted = { ...remembered, ...said };
  const file = counts && says.length > 0 ? { file: found.file, says } : undefined;
  return { rest, organization, wanted, named: environment !== undefined, remembered: file };
}

/** The same as an error of something that is not there, with the file that says so. */
export function rememberedBy({ remembered }: Here, kind: (typeof kinds)[number]): string {
  if (remembered === undefined || !remembered.says.includes(kind)) return '';
  return ` ${remembered.file} names it: \`./ballast link --project NAME\` writes that anew.`;
}

function refuseOther(file: string, belonging: Belonging, { slug }: Membership): void {
  if (belonging.organization === slug) return;
  throw new UsageError(
    said`${file} is of the organization ${belonging.organization}, and this token of ${slug}: use a token of the former, or say --project.`,
  );
}
