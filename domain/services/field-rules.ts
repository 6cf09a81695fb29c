import { tagTemplateFault } from '../git/tag-template.ts';
import { isImageReference } from './image-reference.ts';
import { builders, overlapPolicies, processKinds, sourceKinds, upstreams } from './settings.ts';

/** A rule says what is wrong with a value, or nothing. */
type Rule = (value: unknown) => string | undefined;

const whole =
  (least: number, most: number): Rule =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be a whole number from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`;

const orNothing =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? undefined : rule(value);

const oneOf =
  (values: readonly string[]): Rule =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `must be one of ${values.join(', ')}`;

const text =
  (most: number): Rule =>
  (value) =>
    typeof value === 'string' && value.length <= most && !/\p{Cc}/u.test(value)
      ? undefined
      : `must be a text of one line with at most ${most.toLocaleString('en')} characters`;

const texts =
  (mostTexts: number, most: number): Rule =>
  (value) =>
    Array.isArray(value) && value.length <= mostTexts && value.every((one) => isText(one, most))
      ? undefined
      : `must be a list of at most ${mostTexts} texts`;

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length <= most;
}

const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

const path: Rule = (value) =>
  value === '' || (text(1000)(value) === undefined && String(value).startsWith('/'))
    ? undefined
    : 'must be empty or a path that begins with /';

const slug = /^[a-z0-9][a-z0-9-]{0,62}$/;

const dependencies: Rule = (value) =>
  Array.isArray(value) && value.length <= 100 && value.every((one) => typeof one === 'string' && slug.test(one))
    ? undefined
    : 'must be a list of slugs of services';

const zone: Rule = (value) =>
  typeof value === 'string' && isZone(value) ? undefined : 'must be a time zone, such as UTC';

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const schedule: Rule = (value) =>
  value === '' || (text(200)(value) === undefined && String(value).trim().split(/\s+/).length === 5)
    ? undefined
    : 'must be empty or five fields of cron, such as 0 3 * * *';

const port = whole(1, 65_535);
const gigabytes = 1_024 ** 3;

/** The rule of each setting of a process. Null takes away those that need not be there. */
export const processRules = {
  kind: oneOf(processKinds),
  command: texts(1000, 32_768),
  args: texts(1000, 32_768),
  port: orNothing(port),
  fixedPort: flag,
  replicas: whole(0, 200),
  runAsUser: orNothing(whole(1, 65_535)),
  upstream: oneOf(upstreams),
  schedule,
  timeZone: zone,
  overlap: oneOf(overlapPolicies),
  startupPath: path,
  readinessPath: path,
  livenessPath: path,
  drainSeconds: whole(0, 3_600),
  stabilizationSeconds: whole(0, 3_600),
  cpuLimitMilli: orNothing(whole(10, 1_000_000)),
  cpuRequestMilli: orNothing(whole(10, 1_000_000)),
  memoryLimitBytes: orNothing(whole(4_194_304, 16_384 * gigabytes)),
  memoryRequestBytes: orNothing(whole(4_194_304, 16_384 * gigabytes)),
  metricsEnabled: flag,
  metricsPath: path,
  metricsPort: orNothing(port),
  nodePrivateNet: flag,
} as const satisfies Record<string, Rule>;
export type ProcessField = keyof typeof processRules;

const trigger: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'must be an object with a tagTemplate';
  const { tagTemplate, ...more } = value as Record<string, unknown>;
  const unknown = Object.keys(more)[0];
  if (unknown !== undefined) return `has a field "${unknown.slice(0, 40)}" that is not known`;
  const fault = typeof tagTemplate === 'string' ? tagTemplateFault(tagTemplate) : 'must be a text';
  return fault === undefined ? undefined : `tagTemplate ${fault}`;
};

const limitRules: Readonly<Record<string, Rule>> = {
  memoryBytes: whole(67_108_864, 16_384 * gigabytes),
  diskBytes: whole(67_108_864, 16_384 * gigabytes),
  seconds: whole(10, 3_600),
};

const buildLimits: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'must be an object with memoryBytes, diskBytes or seconds';
  for (const [field, limit] of Object.entries(value)) {
    const rule = limitRules[field];
    if (rule === undefined) return `has a field "${field.slice(0, 40)}" that is not known`;
    const fault = rule(limit);
    if (fault !== undefined) return `${field} ${fault}`;
  }
  return undefined;
};

const sourceRules: Readonly<Record<string, Rule>> = {
  kind: oneOf(sourceKinds),
  imageRepository: (value) =>
    value === '' || (typeof value === 'string' && isImageReference(value))
      ? undefined
      : 'must be an image, such as registry.example.com/team/app:1.2, or :1.2 of its own repository',
  registryCredentialId: text(36),
  builder: oneOf(builders),
  context: text(1000),
  dockerfile: text(1000),
  target: text(200),
  gitUrl: text(2000),
  repository: text(500),
  gitConnectionId: text(36),
  trigger,
  buildLimits,
};
const sourceMay: ReadonlySet<string> = new Set(['registryCredentialId', 'gitConnectionId', 'trigger', 'buildLimits']);

const source: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a source';
  const fields = value as Record<string, unknown>;
  const unknown = Object.keys(fields).find((field) => sourceRules[field] === undefined);
  if (unknown !== undefined) return `has a field "${unknown.slice(0, 40)}" that is not known`;
  for (const [field, rule] of Object.entries(sourceRules)) {
    if (fields[field] === undefined && sourceMay.has(field)) continue;
    const fault = rule(fields[field]);
    if (fault !== undefined) return `${field} ${fault}`;
  }
  return undefined;
};

/** The rule of each setting of a service that can be staged. */
export const serviceRules = {
  source,
  releaseCommand: texts(1000, 32_768),
  releaseCommandTimeoutSeconds: whole(1, 86_400),
  dependsOn: dependencies,
} as const satisfies Record<string, Rule>;
export type ServiceField = keyof typeof serviceRules;
